import { call, type Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";
import { reveal, words } from "../../format/text";
import { SETTLED_FATES } from "../../lists/fates";

export type RetryRequest = Schemas["RetryBody"];
export type Retried = Schemas["RetryResult"];

/** The filters of the list of URLs. */
export interface Shown {
  domain: string;
  fate: string;
  reason: string;
  q: string;
}

/** The reasons for which URLs are given up. The API accepts two more. */
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

/** The reasons for which answers are rejected. */
export const REJECTIONS = [
  "access_denied",
  "bot_check",
  "default_page",
  "error_page",
  "needs_rendering",
  "no_content",
  "parked",
  "suspended",
] as const satisfies readonly Schemas["RejectionReason"][];

/** The reasons of a fate; the list of URLs can be filtered by them. */
export function listReasons(fate: string, reason: string): string[] {
  const known: readonly string[] =
    fate === "rejected" ? REJECTIONS : fate === "gone" ? ["soft_404"] : REASONS;
  return [...new Set(reason ? [...known, reason] : known)];
}

/** The request that retries everything the list shows; null: the list also shows URLs that were not given up. */
export function buildRetry({ domain, fate, reason, q }: Shown): RetryRequest | null {
  const isSoft404 = fate === "gone" && reason === "soft_404";
  if (!["dead", "quarantined", "rejected"].includes(fate) && !isSoft404) return null;
  const isNamed = fate === "quarantined" || (fate === "rejected" && !reason);
  const reasons = isNamed ? [fate] : reason ? [reason] : [];
  return {
    dry_run: false,
    dead: {
      reasons: reasons as Schemas["RetryReason"][],
      ...(domain ? { domain } : {}),
      ...(q ? { q } : {}),
    },
  };
}

/** The filters of the list of items, by their names in the address. */
export type ShownItems = Readonly<Record<string, string | undefined>>;

/** The request that visits the URLs of all items that the list shows; null: it has no kind and no domain, or
 * filters that a retry does not have. */
export function buildItemRetry({ tab, kind, domain, source, ...others }: ShownItems): RetryRequest | null {
  const isInvalid = tab === "invalid";
  if (Object.values(others).some(Boolean) || !(kind || domain || isInvalid)) return null;
  return {
    dry_run: false,
    items: {
      is_invalid: isInvalid,
      ...(kind ? { kind } : {}),
      ...(domain ? { domain } : {}),
      ...(source ? { source } : {}),
    },
  };
}

/** Whether a URL with this fate can be visited again. Explanations have more fates, for unknown URLs. */
export function canRevisit(fate: string): boolean {
  return SETTLED_FATES.some((each) => each === fate);
}

/** The server limits how many URLs one request queues: repeat until it is complete. */
export async function retryAll(request: RetryRequest): Promise<Retried> {
  let total = await call("post", "/api/v1/frontier/retry", { body: request });
  let last = total;
  while (!last.is_complete) {
    last = await call("post", "/api/v1/frontier/retry", { body: request });
    total = {
      ...last,
      urls: total.urls + last.urls,
      resting: total.resting + last.resting,
      resting_domains: total.resting_domains.length ? total.resting_domains : last.resting_domains,
    };
  }
  return total;
}

export function formatUrls(number: number): string {
  return `${formatCount(number)} ${number === 1 ? "URL" : "URLs"}`;
}

/** Describes what a retry would queue. */
export function describeCounted(counted: Retried): string {
  if (counted.urls === 0) return "No URLs match any more.";
  const kinds = Object.entries(counted.before)
    .sort(([, one], [, other]) => other - one)
    .map(([name, number]) => `${formatCount(number)} ${words(name)}`);
  const least = counted.is_complete ? "" : "At least ";
  return `${least}${formatUrls(counted.urls)}: ${kinds.join(", ")}.`;
}

/** Describes the URLs whose domains must be unblocked first. */
export function describeResting(found: Retried): string {
  if (found.resting === 0) return "";
  const names = found.resting_domains.map(reveal).join(", ");
  return `${formatUrls(found.resting)} on domains that are blocked or unreachable (${names}). Unblock these domains to visit them.`;
}

/** Describes what a retry has queued. */
export function describeRetried(done: Retried): string {
  const runs = done.run_ids.map(formatCount).join(", ");
  const run = done.run_ids.length > 0 ? `Run ${runs}` : "The next run";
  const main =
    done.urls > 0
      ? `${formatUrls(done.urls)} queued. ${run} will visit ${done.urls === 1 ? "it" : "them"}.`
      : done.trapped > 0
        ? ""
        : "Already queued.";
  return [main, describeResting(done), describeTrapped(done)].filter(Boolean).join(" ");
}

/** Describes the URLs that nobody requests until their trap is opened. */
function describeTrapped(done: Retried): string {
  if (done.trapped === 0) return "";
  const traps = done.closed.map(reveal).join(", ");
  return `${formatUrls(done.trapped)} not queued: URLs like ${done.trapped === 1 ? "it" : "them"} are closed (${traps}). Open the trap to visit them.`;
}
