import { describe, expect, it } from "vitest";
import { Problem } from "../api/client";
import { dropResolved, placeFaults, readFieldErrors } from "./field-errors";

describe("field errors", () => {
  const FIELDS = ["seeds", "schedule", "schedule.interval_minutes"];

  it("belong to the closest field", () => {
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

  it("of a request as a whole belong to no field", () => {
    expect(readFieldErrors(new Problem(409, "It is taken."), FIELDS).get("")).toBe("It is taken.");
    expect(readFieldErrors(null, FIELDS).size).toBe(0);
  });

  it("disappear when their field changes", () => {
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
