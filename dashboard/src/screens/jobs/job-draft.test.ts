import { describe, expect, it } from "vitest";
import { buildJob, freshJob, isJobComplete, readJob } from "./job-draft";
import { JOB } from "./job-fixture";
import { FRESH_SCHEDULE } from "./schedule-draft";

describe("a job in the form", () => {
  it("keeps its version, its source and its metadata", () => {
    expect(buildJob(readJob(JOB), JOB)).toMatchObject({
      source_id: 3,
      version: 4,
      metadata: { made_by: "source" },
      interval_minutes: 6,
      schedule_enabled: true,
      next_run_at: null,
    });
  });

  it("that was disabled stays disabled", () => {
    expect(buildJob(readJob(JOB), { ...JOB, schedule_enabled: false }).schedule_enabled).toBe(false);
  });

  it("runs once without an interval", () => {
    const draft = { ...freshJob("3"), schedule: { ...FRESH_SCHEDULE, isRepeated: false } };
    expect(buildJob(draft, undefined)).toMatchObject({ interval_minutes: null, schedule_enabled: false });
    expect([isJobComplete(draft), isJobComplete(freshJob(""))]).toEqual([true, false]);
  });
});
