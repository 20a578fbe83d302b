import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { Problem } from "../../api/client";
import { formatBytes } from "../../format/numbers";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { FATES } from "../../lists/fates";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { pickFilters } from "../../lists/query";
import { Button, Dot, Heading, Panel } from "../../ui/basics";
import { SegmentedControl } from "../../ui/controls";
import { KindFilter } from "../items/kind-filter";
import { download, type Transfer } from "./download";

const NOUNS = [
  ["pages", "Stored pages with their metadata and text"],
  ["markdown", "The Markdown of pages, where it is kept"],
  ["chunks", "Markdown in chunks for retrieval, split at headings"],
  ["items", "Items that parsers made of pages"],
  ["urls", "Every known URL with its fate and reason"],
  ["links", "All links of stored pages"],
  ["visits", "Every request"],
  ["images", "Every image, once"],
  ["placements", "Which pages show which images"],
  ["domains", "Every domain with its site and rules"],
] as const;
type Noun = (typeof NOUNS)[number][0];
type Kind = "jsonl" | "csv" | "parquet";

const route = getRouteApi("/app/exports");

export function Exports() {
  const [kind, setKind] = useState<Kind>("jsonl");
  const search = route.useSearch();
  const { domain = "", fate = "" } = search;
  const only = { ...pickFilters(search, "domain", "fate"), ...commonQuery(search) };
  const ofItems = { ...only, ...pickFilters(search, "kind") };
  return (
    <>
      <Heading title="Exports">
        <SegmentedControl
          label="Format"
          value={kind}
          options={[
            ["jsonl", "JSON lines"],
            ["csv", "CSV"],
            ["parquet", "Parquet"],
          ]}
          onChange={setKind}
        />
      </Heading>
      <fieldset className="flex max-w-3xl flex-wrap items-center gap-2">
        <legend className="sr-only">Filters</legend>
        <TextFilter name="domain" label="Domain" value={domain} className="w-44 max-sm:w-full" />
        <SelectFilter name="fate" label="Fate" value={fate} options={FATES} any="Any fate" />
        <CommonFilters given={search} date="Dated" />
      </fieldset>
      <Panel className="max-w-3xl">
        <ul>
          {NOUNS.map(([noun, text]) => (
            <ExportRow
              key={noun}
              noun={noun}
              text={text}
              kind={kind}
              only={noun === "items" ? ofItems : only}
              control={noun === "items" && <KindFilter value={search.kind ?? ""} />}
            />
          ))}
        </ul>
      </Panel>
      <p className="max-w-3xl text-quiet">
        Exports run while crawls continue, and contain what is stored at that moment. Each user can run one
        export at a time. In CSV and Parquet, items have a column for each field, so choose one kind of them.
        In CSV, cells that a spreadsheet would execute start with an apostrophe. In Parquet, times are
        timestamps. Dates refer to when a URL was found, a page and its links were last visited, a visit was
        made, or an image was first seen.
      </p>
    </>
  );
}

interface Wish {
  noun: Noun;
  text: string;
  kind: Kind;
  only: Readonly<Record<string, string | number>>;
  /** A filter of this noun alone. */
  control: ReactNode;
}

function ExportRow({ noun, text, kind, only, control }: Wish) {
  const [transfer, setTransfer] = useState<Transfer | null>(null);
  const stop = useRef<AbortController | null>(null);
  const isUnderWay = transfer !== null && transfer.state === "loading";

  async function start() {
    stop.current = new AbortController();
    setTransfer({ state: "loading", bytes: 0 });
    try {
      const bytes = await download(noun, kind, only, stop.current.signal, (done) =>
        setTransfer({ state: "loading", bytes: done }),
      );
      setTransfer({ state: "done", bytes });
    } catch (error) {
      if (stop.current.signal.aborted) setTransfer(null);
      else
        setTransfer({
          state: "failed",
          bytes: 0,
          reason:
            error instanceof Problem ? error.detail : "The download was interrupted. Nothing was saved.",
        });
    }
  }

  return (
    <li className="flex min-h-16 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 first:border-t-0">
      <div className="min-w-40 flex-1">
        <p className="font-medium">{noun}</p>
        <p className="text-quiet text-xs">{text}</p>
      </div>
      <p
        role="status"
        className="flex items-center justify-end gap-2 text-quiet text-xs sm:min-w-24 max-sm:empty:hidden"
      >
        {transfer?.state === "loading" && (
          <>
            <Dot tone="accent" isBreathing /> {formatBytes(transfer.bytes)}
          </>
        )}
        {transfer?.state === "done" && (
          <>
            <Dot tone="ok" /> saved, {formatBytes(transfer.bytes)}
          </>
        )}
        {transfer?.state === "failed" && <span className="text-bad">{transfer.reason}</span>}
      </p>
      <div className="ml-auto flex items-center gap-3">
        {control}
        {isUnderWay ? (
          <Button onClick={() => stop.current?.abort()} aria-label={`Stop exporting ${noun}`}>
            Stop
          </Button>
        ) : (
          <Button onClick={() => void start()} aria-label={`Export ${noun}`}>
            Export
          </Button>
        )}
      </div>
    </li>
  );
}
