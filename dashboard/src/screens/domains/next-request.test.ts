import { describe, expect, it } from "vitest";
import { findNextRequest } from "./next-request";

const now = new Date("2026-05-01T12:00:00Z");
const soon = "2026-05-01T12:00:01Z";
const before = "2026-05-01T11:59:59Z";
const later = "2026-05-01T12:00:58Z";
const lease = { uuid: "a", host: "localhost", pid: 1, expires_at: later };
const rules = { delay_s: null, per_domain: null, pages_per_run: null, is_active: true };
const active = { status: "active", queued: 3, avail_at: before, lease: null, rules } as const;

describe("the next request", () => {
  it.each([
    ["of a leased domain is now, not at the end of its lease", { lease }, { words: "now" }],
    ["comes when politeness allows it", { lease, avail_at: soon }, { at: soon }],
    ["waits for a crawl", {}, { words: "when a crawl runs" }],
    [
      "of a dead worker's domain waits for a crawl",
      { lease: { ...lease, expires_at: before } },
      { words: "when a crawl runs" },
    ],
    ["is not made if nothing is queued", { queued: 0, avail_at: null }, { words: "nothing queued" }],
    [
      "waits for the next run when the page limit is reached",
      { avail_at: null },
      { words: "in the next run" },
    ],
    [
      "waits for a user if the domain is inactive",
      { avail_at: null, rules: { ...rules, is_active: false } },
      { words: "not until a user activates it" },
    ],
    [
      "waits for a user if the domain is blocked",
      { avail_at: null, status: "blocked" as const },
      { words: "not until a user unblocks it" },
    ],
  ])("%s", (_, changes, expected) => {
    expect(findNextRequest({ ...active, ...changes }, now)).toEqual(expected);
  });
});
