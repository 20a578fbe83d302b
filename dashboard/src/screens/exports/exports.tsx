import { getRouteApi } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Problem } from "../../api/client";
import { formatBytes } from "../../format/numbers";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { FATES } from "../../lists/fates";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { pickFilters } from "../../lists/query";
import { Button, Dot, Heading, Panel } from "../../ui/basics";
import { SegmentedControl } from "../../ui/controls";
import { download, type Transfer } from "./download";

const NOUNS = [
  ["pages", "Stored pages with their metadata and text"],
  ["urls", "Every known url with its fate and reason"],
  ["links", "Every link of every stored page"],
  ["visits", "Every request that was made"],
  ["images", "Every image that was seen, once"],
  ["placements", "Which page shows which image"],
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
        <legend className="sr-only">What is wanted</legend>
        <TextFilter name="domain" label="Domain" value={domain} className="w-44 max-sm:flex-1" />
        <SelectFilter name="fate" label="Fate" value={fate} options={FATES} any="Any fate" />
        <CommonFilters given={search} date="Dated" />
      </fieldset>
      <Panel className="max-w-3xl">
        <ul>
          {NOUNS.map(([noun, text]) => (
            <ExportRow key={noun} noun={noun} text={text} kind={kind} only={only} />
          ))}
        </ul>
      </Panel>
      <p className="max-w-3xl text-quiet">
        A file is written while the crawl goes on, and holds what is stored at that moment. Everybody has one
        at a time. Cells of CSV that a spreadsheet would run begin with an apostrophe; times of Parquet are
        timestamps. The date of a URL is when it was found, of a page and its links when it was last visited,
        of a visit when it was made, of an image when it was first seen.
      </p>
    </>
  );
}

interface Wish {
  noun: Noun;
  text: string;
  kind: Kind;
  only: Readonly<Record<string, string | number>>;
}

function ExportRow({ noun, text, kind, only }: Wish) {
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
          reason: error instanceof Problem ? error.detail : "It broke off; nothing was saved.",
        });
    }
  }

  return (
    <li className="flex min-h-16 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 first:border-t-0">
      <div className="min-w-48 flex-1">
        <p className="font-medium">{noun}</p>
        <p className="text-quiet text-xs">{text}</p>
      </div>
      <p role="status" className="flex min-w-24 items-center justify-end gap-2 text-quiet text-xs">
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
      {isUnderWay ? (
        <Button onClick={() => stop.current?.abort()} aria-label={`Stop the export of ${noun}`}>
          Stop
        </Button>
      ) : (
        <Button onClick={() => void start()} aria-label={`Export ${noun}`}>
          Export
        </Button>
      )}
    </li>
  );
}
