import { describe, expect, it } from "vitest";
import { Problem, type Schemas } from "../../api/client";
import { dropResolved, placeFaults, readFieldErrors } from "../../forms/field-errors";
import { groupByHour, isNewDay, levelOf } from "../scheduler/slots";
import {
  buildSource,
  describeSource,
  FRESH_SOURCE,
  isComplete,
  readHeaders,
  readSource,
} from "../sources/source-draft";
import { describeValue, lineOf, selectionOf } from "../sources/yaml-lines";
import { buildJob, freshJob, isJobComplete, readJob } from "./job-draft";
import { JOB_STATES, listActions, measureIntervals } from "./job-states";
import {
  describeHours,
  describeInterval,
  describeSchedule,
  FRESH_SCHEDULE,
  readSchedule,
} from "./schedule-draft";

const JOB: Schemas["Job"] = {
  id: 7,
  source_id: 3,
  url: null,
  status: "scheduled",
  interval_minutes: 6,
  interval_type: "hours",
  schedule_enabled: true,
  adaptive_scheduling: true,
  timezone: "UTC",
  active_hours: null,
  next_run_at: "2026-05-01T12:00:00Z",
  slot_moved_at: null,
  priority: 5,
  unchanged_count: 0,
  max_retries: 3,
  retry_backoff_seconds: 60,
  current_retry_count: 0,
  lock_acquired_at: null,
  lock_heartbeat_at: null,
  paused_at: null,
  cancelled_at: null,
  last_error: null,
  metadata: { made_by: "source" },
  version: 4,
  created_at: "2026-05-01T00:00:00Z",
  updated_at: "2026-05-01T00:00:00Z",
};

describe("orders of a job", () => {
  it.each([
    ["pending", ["cancel"]],
    ["scheduled", ["force-run", "pause", "cancel"]],
    ["running", ["cancel"]],
    ["completed", []],
    ["failed", ["retry"]],
    ["paused", ["resume", "cancel"]],
    ["cancelled", []],
  ] as const)("%s: %s", (state, actions) => {
    expect(listActions(state)).toEqual(actions);
  });

  it("are known for every state", () => {
    expect(JOB_STATES).toHaveLength(7);
  });
});

describe("the interval of a job", () => {
  it("doubles with each run that found nothing, up to a day", () => {
    const now_s = [0, 1, 2, 9].map((count) => measureIntervals({ ...JOB, unchanged_count: count })?.now_s);
    expect(now_s).toEqual([21_600, 43_200, 86_400, 86_400]);
  });

  it("is never shorter than it was ordered", () => {
    const weekly = { ...JOB, interval_minutes: 7, interval_type: "days" as const, unchanged_count: 3 };
    expect(measureIntervals(weekly)).toEqual({ ordered_s: 604_800, now_s: 604_800 });
  });

  it("stays as it is when it does not adapt, and is none when it runs once", () => {
    expect(measureIntervals({ ...JOB, adaptive_scheduling: false, unchanged_count: 5 })?.now_s).toBe(21_600);
    expect(measureIntervals({ ...JOB, interval_minutes: null })).toBeNull();
  });
});

describe("a schedule", () => {
  it("is told in words", () => {
    expect(describeInterval(1, "days")).toBe("every day");
    expect(describeInterval(90, "minutes")).toBe("every 90 minutes");
    expect(describeHours({ days: ["sat", "sun"], from: "01:00", until: "05:00" })).toBe(
      "Saturdays, Sundays from 01:00 to 05:00",
    );
    expect(describeSchedule({ ...FRESH_SCHEDULE, isRepeated: false })).toEqual([
      "It runs once, as soon as a server sees it.",
    ]);
    expect(describeSchedule({ ...FRESH_SCHEDULE, interval: "x" })[0]).toContain("not said yet");
  });

  it("that is none is a single run", () => {
    expect(readSchedule(null).isRepeated).toBe(false);
  });
});

describe("a source", () => {
  const definition: Schemas["SourceDefinition"] = {
    name: "News",
    description: "",
    enabled: true,
    seeds: ["https://example.com/"],
    scope: {
      kind: null,
      include: null,
      exclude: ["\\.pdf$"],
      keep_parameters: ["ref"],
      merge_rules: [
        {
          name: "sorting",
          under: "example.com/list",
          ignore_parameters: ["sort", "view"],
          ignore_matching: ["^page=1$"],
          ignore_trailing_slash: false,
        },
        {
          name: null,
          under: null,
          ignore_parameters: [],
          ignore_matching: [],
          ignore_trailing_slash: true,
        },
      ],
    },
    limits: { max_depth: 3, max_pages: null, pages_per_domain: 0 },
    extract: { only: ["main > article", "h1"], without: null, response_headers: ["server"] },
    delay_s: 0.5,
    share_pace: "site",
    user_agent: null,
    contact: null,
    headers: { "X-Key": "***" },
    feeds: true,
    feed_interval_minutes: 15,
    recrawl: "all",
    schedule: {
      interval_minutes: 6,
      interval_type: "hours",
      adaptive_scheduling: false,
      timezone: "Europe/Vienna",
      active_hours: { days: ["mon", "tue"], from: "08:00", until: "18:00" },
      max_retries: 0,
      retry_backoff_seconds: 30,
      priority: 1,
    },
  };

  it("goes through the form without a change", () => {
    expect(buildSource(readSource(definition))).toEqual(definition);
    const once = { ...definition, schedule: null };
    expect(buildSource(readSource(once))).toEqual(once);
  });

  it("has a selector a line", () => {
    expect(readSource(definition).only).toBe("main > article\nh1");
    expect(buildSource({ ...FRESH_SOURCE, without: " .clock \n\n#related\n" }).extract).toEqual({
      only: null,
      without: [".clock", "#related"],
      response_headers: null,
    });
  });

  it("is sent when it has a name, a seed and numbers that are some", () => {
    const draft = { ...FRESH_SOURCE, name: "News", seeds: "example.com" };
    expect(isComplete(draft)).toBe(true);
    expect(buildSource(draft).seeds).toEqual(["https://example.com/"]);
    for (const wrong of [{ name: " " }, { seeds: "" }, { maxDepth: "x" }, { headers: "no colon" }]) {
      expect(isComplete({ ...draft, ...wrong })).toBe(false);
    }
    expect(isComplete({ ...draft, schedule: { ...FRESH_SCHEDULE, interval: "" } })).toBe(false);
  });

  it("has headers whose values may hold colons", () => {
    expect(readHeaders("A: b:c\n\nB:")).toEqual({ headers: { A: "b:c", B: "" }, wrong: null });
    expect(readHeaders("nothing").wrong).toBe("nothing");
  });

  it("is told before it is saved", () => {
    expect(describeSource(FRESH_SOURCE)[0]).toBe("It needs a seed to begin with.");
    expect(describeSource(readSource(definition)).join(" ")).toContain("every 6 hours");
  });
});

describe("a job in the form", () => {
  it("keeps its version, what it is about and its metadata", () => {
    expect(buildJob(readJob(JOB), JOB)).toMatchObject({
      source_id: 3,
      version: 4,
      metadata: { made_by: "source" },
      interval_minutes: 6,
      schedule_enabled: true,
      next_run_at: null,
    });
  });

  it("that was switched off stays so", () => {
    expect(buildJob(readJob(JOB), { ...JOB, schedule_enabled: false }).schedule_enabled).toBe(false);
  });

  it("runs once without an interval", () => {
    const draft = { ...freshJob("3"), schedule: { ...FRESH_SCHEDULE, isRepeated: false } };
    expect(buildJob(draft, undefined)).toMatchObject({ interval_minutes: null, schedule_enabled: false });
    expect([isJobComplete(draft), isJobComplete(freshJob(""))]).toEqual([true, false]);
  });
});

describe("faults", () => {
  const FIELDS = ["seeds", "schedule", "schedule.interval_minutes"];

  it("stand at the field that is nearest", () => {
    const placed = placeFaults(
      [
        { where: "body.seeds.1", message: "Not an address." },
        { where: "body.schedule.interval_minutes", message: "Too few." },
        { where: "body.schedule", message: "Too long." },
        { where: "body.unheard", message: "What is it?" },
      ],
      FIELDS,
    );
    expect(Object.fromEntries(placed)).toEqual({
      seeds: "Entry 2: Not an address.",
      "schedule.interval_minutes": "Too few.",
      schedule: "Too long.",
      "": "unheard: What is it?",
    });
  });

  it("of an order as a whole are told as a whole", () => {
    expect(readFieldErrors(new Problem(409, "It is taken."), FIELDS).get("")).toBe("It is taken.");
    expect(readFieldErrors(null, FIELDS).size).toBe(0);
  });

  it("go when their field says something else", () => {
    const placed = new Map([
      ["seeds", "Wrong."],
      ["schedule.interval_minutes", "Wrong."],
    ]);
    const sent = { seeds: ["a"], schedule: { interval_minutes: 0 } };
    expect([...dropResolved(placed, sent, { ...sent, seeds: ["b"] }).keys()]).toEqual([
      "schedule.interval_minutes",
    ]);
    expect([...dropResolved(placed, sent, { ...sent, schedule: null }).keys()]).toEqual(["seeds"]);
  });
});

describe("a file", () => {
  it("has lines that can be found", () => {
    expect(lineOf({ where: "line 12", message: "" })).toBe(12);
    expect(selectionOf("ab\ncde\n", 2)).toEqual([3, 6]);
    expect(selectionOf("ab", 9)).toEqual([3, 3]);
  });

  it("has values that are told shortly", () => {
    expect(["a", 1, ["a", "b"], { a: 1 }, false].map(describeValue)).toEqual([
      "a",
      "1",
      "a, b",
      '{"a":1}',
      "false",
    ]);
  });
});

describe("the map of slots", () => {
  const slots = Array.from({ length: 97 }, (_, index) => ({
    at: new Date(Date.parse("2026-05-01T22:45:00Z") + index * 900_000).toISOString(),
    jobs: index % 3,
  }));

  it("has an hour a row, from the middle of the first to that of the last", () => {
    const hours = groupByHour(slots, 15);
    expect(hours).toHaveLength(25);
    expect(hours[0]?.quarters.map((each) => each?.jobs ?? null)).toEqual([null, null, null, 0]);
    expect(hours[24]?.quarters.map((each) => each === null)).toEqual([false, false, false, false]);
    expect(hours.map((_, index) => isNewDay(hours, index)).indexOf(true)).toBe(2);
  });

  it("is darker the more begins, and calm where little does", () => {
    expect([0, 1, 2, 3, 4].map((jobs) => levelOf(jobs, 4))).toEqual([0, 1, 2, 3, 4]);
    expect(levelOf(1, 1)).toBe(1);
    expect(levelOf(1, 100)).toBe(1);
    expect(levelOf(100, 100)).toBe(4);
  });
});
