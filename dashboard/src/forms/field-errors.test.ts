import { describe, expect, it } from "vitest";
import { Problem } from "../api/client";
import { dropResolved, placeFaults, readFieldErrors } from "./field-errors";

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
