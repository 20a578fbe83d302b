import { expect, it } from "vitest";
import { readReturnPath } from "./return-path";

it.each([
  ["/domains?q=x", "/domains?q=x"],
  ["//evil.example/", "/"],
  ["/\\evil.example/", "/"],
  ["https://evil.example/", "/"],
  ["javascript:alert(1)", "/"],
  [undefined, "/"],
])("after the login, %s leads to %s", (next, place) => {
  expect(readReturnPath(next)).toBe(place);
});
