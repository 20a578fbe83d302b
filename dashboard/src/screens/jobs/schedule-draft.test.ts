import { describe, expect, it } from "vitest";
import {
  describeHours,
  describeInterval,
  describeSchedule,
  FRESH_SCHEDULE,
  readSchedule,
} from "./schedule-draft";

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
