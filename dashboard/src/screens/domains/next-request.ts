/** When the next request to a domain is made, in words or as a time. Pure. */

import type { Schemas } from "../../api/client";

type ListQuery = Pick<Schemas["DomainDetail"], "avail_at" | "lease" | "queued" | "rules" | "status">;
export type NextRequest = { at: string } | { words: string };

export function findNextRequest(domain: ListQuery, now: Date): NextRequest {
  if (domain.queued === 0) return { words: "nothing queued" };
  if (!domain.rules.is_active) return { words: "not until a user activates it" };
  if (domain.avail_at === null) {
    const isOnHold = domain.status === "blocked" || domain.status === "unreachable";
    return { words: isOnHold ? "not until a user unblocks it" : "in the next run" };
  }
  if (Date.parse(domain.avail_at) > now.getTime()) return { at: domain.avail_at };
  const isLeased = domain.lease !== null && Date.parse(domain.lease.expires_at) > now.getTime();
  return { words: isLeased ? "now" : "when a crawl runs" };
}
