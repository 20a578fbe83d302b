import { call, type Schemas } from "../api/client";
import { formatCount } from "../format/numbers";
import { reveal, words } from "../format/text";

type Fate = Schemas["Fate"];
export type RetryOrder = Schemas["RetryBody"];
export type Retried = Schemas["RetryResult"];

/** What a list of urls shows. */
export interface Shown {
  domain: string;
  fate: string;
  reason: string;
  q: string;
}

const SETTLED: readonly string[] = [
  "fetched",
  "duplicate",
  "redirected",
  "skipped",
  "gone",
  "refused",
  "dead",
  "quarantined",
] satisfies Fate[];

/** Why urls are given up; a server knows two more for some of them. */
export const REASONS = [
  "connect",
  "content",
  "dns",
  "encoding",
  "forbidden",
  "forbidden_address",
  "http_status",
  "internal",
  "no_route",
  "no_such_host",
  "protocol",
  "rate_limited",
  "reader",
  "reader_memory",
  "reader_time",
  "reset",
  "timeout",
  "tls",
  "too_large",
] as const satisfies readonly Schemas["RetryReason"][];

/** The order that has everything visited again that the list shows; null: it shows more than was given up. */
export function planRetry({ domain, fate, reason, q }: Shown): RetryOrder | null {
  if (fate !== "dead" && fate !== "quarantined") return null;
  const reasons = fate === "quarantined" ? ["quarantined"] : reason ? [reason] : [];
  return {
    dry_run: false,
    dead: {
      reasons: reasons as Schemas["RetryReason"][],
      ...(domain ? { domain } : {}),
      ...(q ? { q } : {}),
    },
  };
}

/** Whether a url of this fate has had its visit. Explanations know other fates, of urls that are not known. */
export function canBeVisitedAgain(fate: string): boolean {
  return SETTLED.includes(fate);
}

/** A server takes on so many at once: whoever wants more says it again. */
export async function retryAll(order: RetryOrder): Promise<Retried> {
  let total = await call("post", "/api/v1/frontier/retry", { body: order });
  let last = total;
  while (!last.is_complete) {
    last = await call("post", "/api/v1/frontier/retry", { body: order });
    total = {
      ...last,
      urls: total.urls + last.urls,
      resting: total.resting + last.resting,
      resting_domains: total.resting_domains.length ? total.resting_domains : last.resting_domains,
    };
  }
  return total;
}

export function countOfUrls(number: number): string {
  return `${formatCount(number)} ${number === 1 ? "URL" : "URLs"}`;
}

/** What would be visited again, before it is ordered. */
export function describeCounted(counted: Retried): string {
  if (counted.urls === 0) return "No URL is like that any more.";
  const kinds = Object.entries(counted.before)
    .sort(([, one], [, other]) => other - one)
    .map(([name, number]) => `${formatCount(number)} ${words(name)}`);
  const least = counted.is_complete ? "" : "At least ";
  return `${least}${countOfUrls(counted.urls)}: ${kinds.join(", ")}.`;
}

/** Those that an order alone does not bring back. */
export function describeResting(found: Retried): string {
  if (found.resting === 0) return "";
  const names = found.resting_domains.map(reveal).join(", ");
  return `${countOfUrls(found.resting)} on domains that are blocked or unreachable (${names}): unblock these to have them asked.`;
}

/** What was ordered. */
export function describeRetried(done: Retried): string {
  const runs = done.run_ids.map(formatCount).join(", ");
  const who = done.run_ids.length > 0 ? `Run ${runs} visits` : "The next run visits";
  const what = done.urls === 1 ? "it" : "them";
  const main =
    done.urls === 0
      ? "Nothing had to be queued: it waits already."
      : `${countOfUrls(done.urls)} ${done.urls === 1 ? "waits" : "wait"} for another visit. ${who} ${what}.`;
  return [main, describeResting(done)].filter(Boolean).join(" ");
}
