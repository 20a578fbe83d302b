import { useApi } from "../../api/queries";
import { Skeleton, type Tone } from "../../ui/basics";
import { ServerText } from "../../ui/server-text";
import { Time } from "../../ui/time";

const TONES: Record<string, Tone> = {
  well: "ok",
  done: "ok",
  budget: "ok",
  no_run: "quiet",
  stopped: "quiet",
  paused: "rest",
  resting: "rest",
  parked: "rest",
  redis: "warn",
  parser: "warn",
  blocked: "warn",
  network: "bad",
  machine: "bad",
  dns: "bad",
  disk: "bad",
  store: "bad",
  no_worker: "bad",
  crash_loop: "bad",
  stalled: "bad",
  still: "bad",
};

/** The state of the crawl in one sentence, from the doctor. */
export function Verdict() {
  const { data } = useApi("/api/v1/doctor", { every_ms: 5000 });
  return (
    <p
      data-testid="verdict"
      aria-live="polite"
      className={`tone-${TONES[data?.code ?? ""] ?? "quiet"} panel flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 border-l-[3px] border-l-(--tone) px-4 py-2`}
    >
      {data ? (
        <>
          <ServerText text={data.sentence} className="font-medium" />
          {data.detail && <ServerText text={data.detail} />}
          {data.advice && <ServerText text={data.advice} className="text-quiet" />}
          {data.since && (
            <span className="ml-auto text-faint text-xs">
              since <Time at={data.since} />
            </span>
          )}
          {data.warnings?.map((warning) => (
            <ServerText key={warning} text={warning} className="basis-full text-quiet" />
          ))}
        </>
      ) : (
        <Skeleton className="h-4 w-72" />
      )}
    </p>
  );
}
