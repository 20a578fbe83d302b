import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callText, Problem } from "../../api/client";
import { Markdown } from "../../markdown/markdown";
import { Empty, LoadError, Panel, Skeleton } from "../../ui/basics";
import { SegmentedControl } from "../../ui/controls";
import { UntrustedLines } from "../../ui/untrusted";

const MOST_CHARS = 100_000;
const VIEWS = [
  ["document", "Document"],
  ["text", "Plain text"],
] as const;
type View = (typeof VIEWS)[number][0];

/** As a document or as it is written; it comes from a website, so it never becomes HTML. */
export function PageMarkdown({ id }: { id: number }) {
  const [view, setView] = useState<View>("document");
  const path = `/api/v1/pages/${id}/markdown`;
  const { data, error, refetch } = useQuery({
    queryKey: ["pages", "markdown", id],
    queryFn: ({ signal }) => callText(path, signal),
    retry: (count, failure) => !isNotKept(failure) && count < 2,
  });
  if (isNotKept(error)) {
    return (
      <Panel title="Markdown">
        <Empty title="No Markdown">{error.detail}</Empty>
      </Panel>
    );
  }
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-72" />;
  return (
    <Panel
      title="Markdown"
      aside={
        <span className="flex items-center gap-4">
          <SegmentedControl label="Show as" value={view} options={VIEWS} onChange={setView} />
          <a href={path} className="text-accent hover:underline">
            View as a file
          </a>
        </span>
      }
    >
      {!data && <Empty title="The page is empty" />}
      {data && view === "document" && <Markdown text={data} below={2} className="max-w-3xl px-4 pb-4" />}
      {data && view === "text" && <UntrustedLines text={data.slice(0, MOST_CHARS)} className="px-4 pb-4" />}
      {view === "text" && data.length > MOST_CHARS && (
        <p className="px-4 pb-4 text-quiet">Truncated. View as a file for the rest.</p>
      )}
    </Panel>
  );
}

function isNotKept(error: unknown): error is Problem {
  return error instanceof Problem && error.status === 404;
}
