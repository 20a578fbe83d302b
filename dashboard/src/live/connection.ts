/** How fresh the numbers are, decided from what happens to the stream. Pure: the clock comes in. */

export type Connection = "connecting" | "live" | "polling" | "offline";

export interface Signals {
  /** When the stream last said something. */
  heardAt: number | null;
  /** When the stream was begun or last broke. */
  brokenSince: number | null;
  /** Whether the last question over HTTP was answered; null: none was asked. */
  isAnswered: boolean | null;
}

// The stream speaks twice a second: whoever is silent for so long is gone, even if nobody said so.
export const SILENCE_MS = 6000;
// A server that ends a stream after its time is back in two seconds: not worth a word.
export const GRACE_MS = 3500;

export function judgeConnection(signals: Signals, now: number): Connection {
  const { heardAt, brokenSince, isAnswered } = signals;
  const isSpeaking = heardAt !== null && now - heardAt < SILENCE_MS;
  if (isSpeaking && (brokenSince === null || now - brokenSince < GRACE_MS)) return "live";
  if (brokenSince !== null && now - brokenSince < GRACE_MS && heardAt === null) return "connecting";
  return isAnswered === false ? "offline" : "polling";
}
