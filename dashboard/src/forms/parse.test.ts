import { describe, expect, it } from "vitest";
import { readAddresses, readNumber } from "./parse";

describe("typed text", () => {
  it("completes URLs and finds invalid ones", () => {
    const found = readAddresses("example.com\n\n http://a.example/x \njavascript:alert(1)\nnot an address");
    expect(found.map((each) => each.url?.href ?? null)).toEqual([
      "https://example.com/",
      "http://a.example/x",
      null,
      null,
    ]);
  });

  it("distinguishes empty from invalid numbers", () => {
    expect([readNumber(""), readNumber("1,5"), readNumber("-1"), readNumber("x")]).toEqual([
      null,
      1.5,
      Number.NaN,
      Number.NaN,
    ]);
  });
});
