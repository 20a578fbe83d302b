import { describe, expect, it } from "vitest";
import {
  describeHours,
  describeInterval,
  describeSchedule,
  FRESH_SCHEDULE,
  readSchedule,
} from "./schedule-draft";

describe("a schedule", () => {
  it("is described in words", () => {
    expect(describeInterval(1, "days")).toBe("every day");
    expect(describeInterval(90, "minutes")).toBe("every 90 minutes");
    expect(describeHours({ days: ["sat", "sun"], from: "01:00", until: "05:00" })).toBe(
      "Saturdays, Sundays from 01:00 to 05:00",
    );
    expect(describeSchedule({ ...FRESH_SCHEDULE, isRepeated: false })).toEqual([
      "Runs once, as soon as a scheduler picks it up.",
    ]);
    expect(describeSchedule({ ...FRESH_SCHEDULE, interval: "x" })[0]).toContain("missing");
  });

  it("without an interval is a single run", () => {
    expect(readSchedule(null).isRepeated).toBe(false);
  });
});
