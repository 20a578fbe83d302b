import { describe, expect, it } from "vitest";
import { appendNewest } from "./log-lines";

describe("a log", () => {
  it("keeps the newest lines and counts the others", () => {
    expect(appendNewest({ lines: [1, 2], dropped: 1 }, [3, 4], 3)).toEqual({ lines: [2, 3, 4], dropped: 2 });
  });
});
