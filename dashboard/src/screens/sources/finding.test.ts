import { describe, expect, it } from "vitest";
import { chooseNear, chooseSwitch, describeSwitches, readNear, readSwitch } from "./finding";
import { buildSource, FRESH_SOURCE } from "./source-draft";

describe("a switch of a source", () => {
  it.each(["", "on", "off"] as const)("stays what was chosen: %s", (choice) => {
    expect(readSwitch(chooseSwitch(choice))).toBe(choice);
  });

  it("is the server's setting if the source does not have it", () => {
    expect(readSwitch(undefined)).toBe("");
  });
});

describe("the switches of a source", () => {
  it("are not shown where the server decides", () => {
    expect(describeSwitches(buildSource(FRESH_SOURCE))).toEqual([]);
  });

  it("are shown where the source decides", () => {
    const draft = {
      ...FRESH_SOURCE,
      sitemaps: { enabled: true, guess: false },
      validation: { soft_404: false, min_bytes: 500 },
      traps: { enabled: false },
    };
    expect(describeSwitches(buildSource(draft))).toEqual([
      { label: "Sitemaps", value: "read" },
      { label: "Unlisted sitemaps", value: "not guessed" },
      { label: "Soft 404s", value: "not detected" },
      { label: "Traps", value: "not avoided" },
    ]);
  });
});

describe("near-duplicates of a source", () => {
  it.each(["", "keep", "drop", "off"] as const)("stay what was chosen: %s", (choice) => {
    expect(readNear(chooseNear({ distance: 2 }, choice))).toBe(choice);
  });

  it("are compared as before whatever is chosen", () => {
    expect(chooseNear({ distance: 2, keep: true }, "off")).toMatchObject({ distance: 2, enabled: false });
  });
});
