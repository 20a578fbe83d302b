/** Decides how current the numbers are from what happens to the event stream. Pure: the caller passes the time. */

export type Connection = "connecting" | "live" | "polling" | "offline";

export interface Signals {
  /** When the last event arrived. */
  heardAt: number | null;
  /** When the stream was opened or last broke. */
  brokenSince: number | null;
  /** Whether the last poll got a response; null: there was none. */
  isAnswered: boolean | null;
}

// The stream sends two events per second. A stream that is silent for this long is dead, even without an error.
export const SILENCE_MS = 6000;
// Servers end long streams, and the browser reconnects within two seconds. That is not worth reporting.
export const GRACE_MS = 3500;

export function judgeConnection(signals: Signals, now: number): Connection {
  const { heardAt, brokenSince, isAnswered } = signals;
  const isSpeaking = heardAt !== null && now - heardAt < SILENCE_MS;
  if (isSpeaking && (brokenSince === null || now - brokenSince < GRACE_MS)) return "live";
  if (brokenSince !== null && now - brokenSince < GRACE_MS && heardAt === null) return "connecting";
  return isAnswered === false ? "offline" : "polling";
}
