import { useQuery } from "@tanstack/react-query";
import { callText, Problem } from "../../api/client";
import { Empty, LoadError, Panel, Skeleton } from "../../ui/basics";
import { UntrustedLines } from "../../ui/untrusted";

const MOST_CHARS = 100_000;

/** Shown as plain text: it comes from a website, so it is never rendered. */
export function PageMarkdown({ id }: { id: number }) {
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
        <a href={path} className="text-accent hover:underline">
          View as a file
        </a>
      }
    >
      {data ? (
        <UntrustedLines text={data.slice(0, MOST_CHARS)} className="px-4 pb-4" />
      ) : (
        <Empty title="The page is empty" />
      )}
      {data.length > MOST_CHARS && (
        <p className="px-4 pb-4 text-quiet">Truncated. View as a file for the rest.</p>
      )}
    </Panel>
  );
}

function isNotKept(error: unknown): error is Problem {
  return error instanceof Problem && error.status === 404;
}
