import { afterEach, describe, expect, it, vi } from "vitest";
import {
  buildRetry,
  canRevisit,
  describeCounted,
  describeResting,
  describeRetried,
  type Retried,
  retryAll,
} from "./retries";

function retried(changes: Partial<Retried> = {}): Retried {
  return {
    urls: 0,
    before: {},
    resting: 0,
    resting_domains: [],
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

describe("an order for what a list shows", () => {
  it("has the filters of the list", () => {
    expect(buildRetry(ALL)).toEqual({ dry_run: false, dead: { reasons: [] } });
    expect(buildRetry({ domain: "a.test", fate: "dead", reason: "timeout", q: "shop" })).toEqual({
      dry_run: false,
      dead: { reasons: ["timeout"], domain: "a.test", q: "shop" },
    });
  });

  it("means quarantined urls only where the list shows them", () => {
    expect(buildRetry({ ...ALL, fate: "quarantined", reason: "crash" })?.dead?.reasons).toEqual([
      "quarantined",
    ]);
  });

  it("is not offered for others", () => {
    for (const fate of ["", "fetched", "queued", "refused"]) expect(buildRetry({ ...ALL, fate })).toBeNull();
  });
});

it("a url that waits, or that nobody knows, is not visited again", () => {
  for (const fate of ["fetched", "dead", "quarantined", "gone"]) expect(canRevisit(fate)).toBe(true);
  for (const fate of ["queued", "retrying", "never seen"]) expect(canRevisit(fate)).toBe(false);
});

describe("words", () => {
  it("count what would be visited, the most first", () => {
    const before = { timeout: 2, http_status: 1200 };
    expect(describeCounted(retried({ urls: 1202, before }))).toBe(
      "1,202 URLs: 1,200 http status, 2 timeout.",
    );
    expect(describeCounted(retried({ urls: 1, before: { dns: 1 }, is_complete: false }))).toBe(
      "At least 1 URL: 1 dns.",
    );
    expect(describeCounted(retried())).toBe("No URL is like that any more.");
  });

  it("say who visits them", () => {
    expect(describeRetried(retried({ urls: 1, run_ids: [7] }))).toBe(
      "1 URL waits for another visit. Run 7 visits it.",
    );
    expect(describeRetried(retried({ urls: 2 }))).toBe(
      "2 URLs wait for another visit. The next run visits them.",
    );
    expect(describeRetried(retried({ waiting: 1 }))).toBe("Nothing had to be queued: it waits already.");
  });

  it("name the domains that rest, with nothing hidden in them", () => {
    const found = retried({ urls: 3, resting: 2, resting_domains: ["a.test", "b\u202e.test"] });
    expect(describeResting(found)).toContain(
      "2 URLs on domains that are blocked or unreachable (a.test, b⟨202E⟩.test)",
    );
    expect(describeRetried(found)).toContain("unblock these");
    expect(describeResting(retried())).toBe("");
  });
});

it("a large order is repeated until it is complete", async () => {
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
