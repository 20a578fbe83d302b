import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useApi } from "../../api/queries";
import { words } from "../../format/text";
import { TextField } from "../../forms/fields";
import { Form } from "../../forms/form";
import { readAddresses } from "../../forms/parse";
import { Button, Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { ServerText } from "../../ui/server-text";
import { State } from "../../ui/states";
import { DomainLink, OutLink } from "../../ui/untrusted";
import { RevisitButton } from "./retry-actions";

const route = getRouteApi("/app/explain");

/** Explains a URL as a chain of facts that ends with its fate. */
export function Explain() {
  const { url = "" } = route.useSearch();
  const { data, error, refetch, isPlaceholderData } = useApi("/api/v1/explain", {
    query: { url },
    isEnabled: url !== "",
    every_ms: 5000,
  });
  const page = useApi("/api/v1/pages", {
    query: { url: data?.url ?? "" },
    isEnabled: data?.fate === "fetched" || data?.fate === "duplicate",
  });
  const stored = page.data?.items[0];
  return (
    <>
      <Heading title="Explain a URL" />
      <Ask url={url} />
      {!url ? (
        <Empty title="Enter a URL">See what happened to it and why.</Empty>
      ) : error && !data ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : !data || isPlaceholderData ? (
        <Skeleton className="h-72" />
      ) : (
        <Panel className="max-w-4xl p-5 lg:p-6">
          <OutLink url={data.url} className="text-[1.02rem]" />
          <ol aria-label="Explanation" className="mt-5">
            {data.facts.map((fact) => (
              <li key={fact} className="relative pb-4 pl-6">
                <span
                  aria-hidden="true"
                  className="absolute top-2 bottom-[-0.5rem] left-[3.5px] w-px bg-line"
                />
                <span
                  aria-hidden="true"
                  className="absolute top-[0.45rem] left-0 size-2 rounded-full border border-edge bg-panel"
                />
                <ServerText text={fact} className="text-quiet" />
              </li>
            ))}
            <li className="relative pl-6">
              <span
                aria-hidden="true"
                className="absolute top-[0.35rem] left-[-2px] size-3 rounded-full bg-accent"
              />
              <p className="flex flex-wrap items-center gap-2">
                <State state={data.fate} />
                {data.reason && <span className="text-quiet">{words(data.reason)}</span>}
              </p>
              <p data-testid="because" className="mt-1.5 text-[1.05rem] font-medium">
                <ServerText text={data.because} />
              </p>
            </li>
          </ol>
          <p className="mt-5 flex flex-wrap gap-x-5 border-t border-line pt-4 text-accent">
            {stored && (
              <Link to="/pages/$id" params={{ id: String(stored.id) }} className="hover:underline">
                View the stored page
              </Link>
            )}
            <DomainOf url={data.url} />
          </p>
          <div className="mt-4 empty:hidden">
            <RevisitButton url={data.url} fate={data.fate} />
          </div>
        </Panel>
      )}
    </>
  );
}

function Ask({ url }: { url: string }) {
  const [text, setText] = useState(url);
  const navigate = useNavigate();
  useEffect(() => setText(url), [url]);
  function ask() {
    const wanted = readAddresses(text)[0]?.url;
    if (wanted) void navigate({ to: "/explain", search: { url: wanted.href } });
  }
  const isWrong = text.trim() !== "" && !readAddresses(text)[0]?.url;
  return (
    <Form onSubmit={ask} className="flex max-w-4xl items-start gap-2">
      <div className="min-w-0 flex-1">
        <TextField
          label="URL"
          value={text}
          onChange={setText}
          error={isWrong ? "This is not a valid URL." : null}
          placeholder="https://example.com/page"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
        />
      </div>
      <Button kind="primary" type="submit" className="mt-[1.35rem]" disabled={isWrong}>
        Explain
      </Button>
    </Form>
  );
}

function DomainOf({ url }: { url: string }) {
  const host = findHost(url);
  return host ? <DomainLink name={host} /> : null;
}

function findHost(url: string): string | null {
  try {
    return new URL(url).host.replace(/^www\./, "") || null;
  } catch {
    return null;
  }
}
