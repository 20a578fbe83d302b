import type { Schemas } from "../../api/client";
import { ServerText } from "../../ui/server-text";
import { describeLeftover, isUnfinished } from "./leftover";

/** What an ended run has left to do, if anything. */
export function LeftoverNotice({ run }: { run: Pick<Schemas["Run"], "state" | "leftover"> | undefined }) {
  const left = run?.leftover;
  const sentences = left ? describeLeftover(left, run.state) : [];
  if (!left || sentences.length === 0) return null;
  // A run that ends at its page limit does what was asked for, and what sites hold back needs no warning.
  const isEarly = run.state === "done" && isUnfinished(left);
  return (
    <ul
      aria-label="Remaining work"
      className={`tone-${isEarly ? "warn" : "quiet"} toned rounded-[10px] border px-4 py-2.5`}
    >
      {sentences.map((sentence) => (
        <li key={sentence}>
          <ServerText text={sentence} />
        </li>
      ))}
    </ul>
  );
}
