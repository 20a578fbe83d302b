import { Time } from "./time";
import { Untrusted } from "./untrusted";

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the server: the moments in it are told in the reader's time. */
export function ServerText({ text, className = "" }: { text: string; className?: string }) {
  return (
    <span className={className}>
      {text.split(MOMENT).map((part, index) =>
        // What was split by stands at every second place.
        index % 2 === 1 ? <Time key={index} at={part} /> : <Untrusted key={index} text={part} />,
      )}
    </span>
  );
}
