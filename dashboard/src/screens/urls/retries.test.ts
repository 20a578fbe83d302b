import { afterEach, describe, expect, it, vi } from "vitest";
import {
  buildItemRetry,
  buildRetry,
  canRevisit,
  describeCounted,
  describeResting,
  describeRetried,
  listReasons,
  type Retried,
  retryAll,
} from "./retries";

function retried(changes: Partial<Retried> = {}): Retried {
  return {
    urls: 0,
    before: {},
    resting: 0,
    resting_domains: [],
    trapped: 0,
    closed: [],
    waiting: 0,
    unknown: 0,
    first_unknown: [],
    is_complete: true,
    run_ids: [],
    ...changes,
  };
}

const ALL = { domain: "", fate: "dead", reason: "", q: "" };

afterEach(() => vi.unstubAllGlobals());

describe("a retry of what a list shows", () => {
  it("has the filters of the list", () => {
    expect(buildRetry(ALL)).toEqual({ dry_run: false, dead: { reasons: [] } });
    expect(buildRetry({ domain: "a.test", fate: "dead", reason: "timeout", q: "shop" })).toEqual({
      dry_run: false,
      dead: { reasons: ["timeout"], domain: "a.test", q: "shop" },
    });
  });

  it("includes quarantined URLs only if the list shows them", () => {
    expect(buildRetry({ ...ALL, fate: "quarantined", reason: "crash" })?.dead?.reasons).toEqual([
      "quarantined",
    ]);
  });

  it("includes rejected URLs, all of them or those with a reason", () => {
    expect(buildRetry({ ...ALL, fate: "rejected" })?.dead?.reasons).toEqual(["rejected"]);
    expect(buildRetry({ ...ALL, fate: "rejected", reason: "parked" })?.dead?.reasons).toEqual(["parked"]);
  });

  it("includes gone URLs only if the server said that they exist", () => {
    expect(buildRetry({ ...ALL, fate: "gone", reason: "soft_404" })?.dead?.reasons).toEqual(["soft_404"]);
    expect(buildRetry({ ...ALL, fate: "gone" })).toBeNull();
  });

  it("is not offered for other fates", () => {
    for (const fate of ["", "fetched", "queued", "refused"]) expect(buildRetry({ ...ALL, fate })).toBeNull();
  });
});

describe("a retry of the items that a list shows", () => {
  it("has their kind, domain and source", () => {
    expect(buildItemRetry({ kind: "product", domain: "a.test", source: "shop", q: "" })).toEqual({
      dry_run: false,
      items: { is_invalid: false, kind: "product", domain: "a.test", source: "shop" },
    });
    expect(buildItemRetry({ tab: "invalid" })).toEqual({ dry_run: false, items: { is_invalid: true } });
  });

  it("is not offered for all items, or with filters that it would not keep to", () => {
    expect(buildItemRetry({})).toBeNull();
    expect(buildItemRetry({ source: "shop" })).toBeNull();
    expect(buildItemRetry({ kind: "product", state: "gone" })).toBeNull();
  });
});

it("the reasons of a fate are offered, with the one in the address", () => {
  expect(listReasons("rejected", "")).toContain("bot_check");
  expect(listReasons("dead", "my own")).toContain("my own");
});

it("a queued or unknown URL cannot be revisited", () => {
  for (const fate of ["fetched", "dead", "quarantined", "gone"]) expect(canRevisit(fate)).toBe(true);
  for (const fate of ["queued", "retrying", "never seen"]) expect(canRevisit(fate)).toBe(false);
});

describe("descriptions", () => {
  it("count what would be retried, most frequent first", () => {
    const before = { timeout: 2, http_status: 1200 };
    expect(describeCounted(retried({ urls: 1202, before }))).toBe(
      "1,202 URLs: 1,200 http status, 2 timeout.",
    );
    expect(describeCounted(retried({ urls: 1, before: { dns: 1 }, is_complete: false }))).toBe(
      "At least 1 URL: 1 dns.",
    );
    expect(describeCounted(retried())).toBe("No URLs match any more.");
  });

  it("name the run that visits them", () => {
    expect(describeRetried(retried({ urls: 1, run_ids: [7] }))).toBe("1 URL queued. Run 7 will visit it.");
    expect(describeRetried(retried({ urls: 2 }))).toBe("2 URLs queued. The next run will visit them.");
    expect(describeRetried(retried({ waiting: 1 }))).toBe("Already queued.");
  });

  it("name the traps that keep URLs back", () => {
    const found = retried({ trapped: 1, closed: ["a.test /cal/{n}"] });
    expect(describeRetried(found)).toBe(
      "1 URL not queued: URLs like it are closed (a.test /cal/{n}). Open the trap to visit them.",
    );
  });

  it("name the domains on hold, with invisible characters shown", () => {
    const found = retried({ urls: 3, resting: 2, resting_domains: ["a.test", "b\u202e.test"] });
    expect(describeResting(found)).toContain(
      "2 URLs on domains that are blocked or unreachable (a.test, b⟨202E⟩.test)",
    );
    expect(describeRetried(found)).toContain("Unblock these domains");
    expect(describeResting(retried())).toBe("");
  });
});

it("a large retry is repeated until it is complete", async () => {
  const answers = [
    retried({ urls: 5, is_complete: false, resting: 1, resting_domains: ["a.test"] }),
    retried({ urls: 5, is_complete: false }),
    retried({ urls: 2, run_ids: [3] }),
  ];
  const fetched = vi.fn(async () => Response.json(answers.shift()));
  vi.stubGlobal("fetch", fetched);
  const done = await retryAll({ dry_run: false, dead: { reasons: [] } });
  expect(fetched).toHaveBeenCalledTimes(3);
  expect(done).toEqual(retried({ urls: 12, resting: 1, resting_domains: ["a.test"], run_ids: [3] }));
});
