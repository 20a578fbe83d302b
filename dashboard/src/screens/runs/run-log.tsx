import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../../api/client";
import { formatBytes, formatCount } from "../../format/numbers";
import { reveal, words } from "../../format/text";
import { formatAbsolute, formatClock } from "../../format/times";
import { Empty } from "../../ui/basics";
import { TONE_TEXT, toneOf } from "../../ui/states";
import { appendNewest } from "./log-lines";

type Entry = Schemas["LogEntry"];

const LINE_PX = 24;
// Of a long log, only the newest lines. The download has all of it.
const NEWEST = 2000;
const RENDER_MS = 200;

/** The log of a run, live. */
export function Log({ id }: { id: number }) {
  const { lines, dropped, isOpen } = useLog(id);
  const scroller = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });

  useEffect(() => {
    if (isFollowing && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: "end" });
  }, [isFollowing, lines, virtual]);

  function onScroll() {
    const element = scroller.current;
    if (element) setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < 2 * LINE_PX);
  }

  return (
    <div className="panel flex min-h-[24rem] flex-1 flex-col overflow-hidden">
      {lines.length === 0 ? (
        <Empty title={isOpen ? "No log lines yet" : "Opening the log"}>
          The log shows visits, domain state changes and workers.
        </Empty>
      ) : (
        <div
          ref={scroller}
          onScroll={onScroll}
          role="log"
          aria-label={`Log of run ${id}`}
          aria-live="off"
          tabIndex={0}
          className="min-h-0 flex-1 overflow-auto py-2 font-mono text-xs -outline-offset-2"
        >
          <div className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map((item) => (
              <div
                key={item.index}
                ref={virtual.measureElement}
                data-index={item.index}
                className="absolute inset-x-0 top-0 flex min-h-6 flex-wrap items-start gap-x-3 px-4 leading-6 sm:flex-nowrap"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <LogLine entry={lines[item.index] as Entry} />
              </div>
            ))}
          </div>
        </div>
      )}
      <p className="flex h-9 shrink-0 items-center justify-between gap-4 border-t border-line px-4 text-quiet text-xs">
        <span>
          {formatCount(lines.length)} lines{(dropped > 0 || lines.length >= NEWEST) && ", the newest"}
        </span>
        <span className="flex items-center gap-4">
          <label className="flex items-center gap-1.5">
            <input
              type="checkbox"
              checked={isFollowing}
              onChange={(event) => setFollowing(event.target.checked)}
            />
            Follow
          </label>
          <a href={`/api/v1/runs/${id}/log/download`} className="text-accent hover:underline">
            Download
          </a>
        </span>
      </p>
    </div>
  );
}

function LogLine({ entry }: { entry: Entry }) {
  const at = new Date(entry.at);
  return (
    <>
      <time dateTime={entry.at} title={formatAbsolute(at)} className="w-20 shrink-0 text-faint">
        {formatClock(at)}
      </time>
      <span className={`w-24 shrink-0 ${TONE_TEXT[toneOf(entry.event)]}`}>{words(entry.event)}</span>
      <span className="w-8 shrink-0 text-right text-quiet">{entry.status ?? ""}</span>
      <span className="w-16 shrink-0 text-right whitespace-nowrap text-quiet max-sm:hidden">
        {entry.duration_ms === null ? "" : `${entry.duration_ms} ms`}
      </span>
      <span className="w-16 shrink-0 text-right whitespace-nowrap text-quiet max-sm:hidden">
        {entry.wire_bytes === null ? "" : formatBytes(entry.wire_bytes)}
      </span>
      <bdi className="min-w-0 break-all max-sm:basis-full">
        {reveal(entry.url ?? entry.domain ?? (entry.worker === null ? "run" : `worker ${entry.worker}`))}
      </bdi>
      {entry.detail && (
        <bdi className="min-w-0 text-quiet max-sm:basis-full sm:min-w-32">{reveal(entry.detail)}</bdi>
      )}
    </>
  );
}

function useLog(id: number) {
  const [state, setState] = useState<{ lines: readonly Entry[]; dropped: number }>({ lines: [], dropped: 0 });
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setState({ lines: [], dropped: 0 });
    setOpen(false);
    let arrived: Entry[] = [];
    const source = new EventSource(`/api/v1/runs/${id}/log/stream?newest=${NEWEST}`);
    source.onopen = () => setOpen(true);
    source.addEventListener("line", (event) => arrived.push(JSON.parse(event.data)));
    // Render a few times per second, however many lines arrive.
    const rendering = setInterval(() => {
      if (arrived.length === 0) return;
      const more = arrived;
      arrived = [];
      setState((before) => appendNewest(before, more));
    }, RENDER_MS);
    return () => {
      clearInterval(rendering);
      source.close();
    };
  }, [id]);
  return { ...state, isOpen };
}
