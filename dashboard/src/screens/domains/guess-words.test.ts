import { expect, it } from "vitest";
import { describeRule } from "./guess-words";

const learned = {
  pattern: "/a",
  hits: 2,
  misses: 1,
  set_by: null,
  changed_at: "2026-01-01T00:00:00Z",
} as const;

it("tells how far a list is known", () => {
  const list = { ...learned, path: "/a", state: "ended", step: 1, last_n: 7, is_linked: true } as const;
  expect(describeRule(list)).toBe("2 right, 1 wrong, known up to 7");
});

it("tells how often an archive was guessed", () => {
  expect(describeRule({ ...learned, state: "valid" })).toBe("2 right, 1 wrong");
});
