import { useEffect, useRef } from "react";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { reveal } from "../../format/text";
import { formatDuration } from "../../format/times";
import { TextFilter } from "../../lists/filters";
import { Badge, Empty, LoadError, Panel, Skeleton } from "../../ui/basics";
import { HttpStatus } from "../../ui/states";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type File = Schemas["Robots"];

/** The file as fetched, with the rule that applies to a path. */
export function RobotsTxt({ name, path }: { name: string; path: string }) {
  const fullPath = path.startsWith("/") ? path : `/${path}`;
  const { data, error, refetch } = useApi("/api/v1/domains/{name}/robots", {
    path: { name },
    query: { path: fullPath },
  });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-72" />;
  if (data.length === 0)
    return <Empty title="No robots.txt stored">It is fetched before the first page.</Empty>;
  return (
    <>
      <TextFilter
        name="path"
        label="Find the rule for a path"
        value={path}
        className="w-full max-w-lg font-mono"
        spellCheck={false}
      />
      {data.map((file) => (
        <RobotsFile key={file.origin} file={file} path={fullPath} />
      ))}
    </>
  );
}

function RobotsFile({ file, path }: { file: File; path: string }) {
  const marked = useRef<HTMLLIElement>(null);
  const number = file.verdict?.line_number ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to the rule when it changes
  useEffect(() => marked.current?.scrollIntoView({ block: "nearest" }), [number]);
  const lines = file.body.split(/\r\n|\r|\n/);
  return (
    <Panel
      title={<Untrusted text={file.origin} className="font-mono text-[0.92em]" />}
      aside={
        <>
          <HttpStatus status={file.status} />, fetched <Time at={file.fetched_at} />
          {file.crawl_delay_s !== null && `, crawl-delay ${formatDuration(file.crawl_delay_s)}`}
        </>
      }
    >
      <p className="flex flex-wrap items-center gap-2 px-4 pb-3 text-quiet">
        <Badge tone={file.verdict?.is_allowed ? "ok" : "bad"}>
          {file.verdict?.is_allowed ? "allowed" : "forbidden"}
        </Badge>
        <Untrusted text={path} className="font-mono text-[0.92em]" />
        {file.error ? (
          <Untrusted text={file.error} />
        ) : number === null ? (
          "no rule matches"
        ) : (
          `decided by line ${number}`
        )}
      </p>
      {file.body ? (
        <ol
          tabIndex={0}
          aria-label={`robots.txt of ${file.origin}`}
          className="max-h-96 overflow-auto border-t border-line py-2 font-mono text-xs"
        >
          {lines.map((line, index) => {
            const isMarked = index + 1 === number;
            return (
              <li
                key={index}
                ref={isMarked ? marked : undefined}
                aria-current={isMarked ? "true" : undefined}
                className={`flex px-4 ${isMarked ? `toned ${file.verdict?.is_allowed ? "tone-ok" : "tone-bad"}` : ""}`}
              >
                <span className="w-10 shrink-0 pr-3 text-right text-faint select-none">{index + 1}</span>
                <bdi className="whitespace-pre-wrap">{reveal(line)}</bdi>
              </li>
            );
          })}
        </ol>
      ) : (
        <p className="border-t border-line px-4 py-3 text-quiet">
          The file is empty or missing, so everything is allowed.
        </p>
      )}
    </Panel>
  );
}
