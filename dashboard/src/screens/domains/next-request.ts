/** When the next request to a domain is made, in words or as a time. Pure. */

import type { Schemas } from "../../api/client";

type ListQuery = Pick<Schemas["DomainDetail"], "avail_at" | "lease" | "queued" | "rules" | "status">;
export type NextRequest = { at: string } | { words: string };

export function findNextRequest(domain: ListQuery, now: Date): NextRequest {
  if (domain.queued === 0) return { words: "nothing waits" };
  if (!domain.rules.is_active) return { words: "not before somebody makes it active" };
  if (domain.avail_at === null) {
    const rests = domain.status === "blocked" || domain.status === "unreachable";
    return { words: rests ? "not before somebody unblocks it" : "with the next run" };
  }
  if (Date.parse(domain.avail_at) > now.getTime()) return { at: domain.avail_at };
  const isLeased = domain.lease !== null && Date.parse(domain.lease.expires_at) > now.getTime();
  return { words: isLeased ? "now" : "as soon as a crawl runs" };
}
