import { Time } from "./time";
import { Untrusted } from "./untrusted";

// Moments are shown as “5 min ago”: “at” would be wrong before them.
const MOMENT = /(?:\bat )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence from the server. Timestamps in it appear in the reader's time zone. */
export function ServerText({ text, className = "" }: { text: string; className?: string }) {
  return (
    <span className={className}>
      {text.split(MOMENT).map((part, index) =>
        // `split` with a group puts the timestamps at the odd places.
        index % 2 === 1 ? <Time key={index} at={part} /> : <Untrusted key={index} text={part} />,
      )}
    </span>
  );
}
