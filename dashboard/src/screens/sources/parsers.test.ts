import { describe, expect, it } from "vitest";
import { describeParser, readParsers, type SourceParsers, writeParsers } from "./parsers";

const INSTALLED = [{ name: "shop" }, { name: "news" }] as unknown as SourceParsers;
const DEFINED = [
  { name: "shop", version: null, patterns: [], fields: {} },
  {
    name: "list",
    version: "2",
    patterns: ["/list/*"],
    key: null,
    fields: {
      price: { css: [".price"], jsonld: [], type: "price", many: false, required: true, default: null },
      isNew: { css: [], type: "text", default: false },
      name: { css: ["h1"], type: "text" },
      sku: { css: ["b", "i"], type: "text" },
    },
  },
] as unknown as SourceParsers;

describe("the parsers of a source", () => {
  it("are names if all of them are installed", () => {
    expect(writeParsers(INSTALLED)).toBe("shop\nnews");
    expect(readParsers(" shop \n\nnews")).toEqual({ parsers: INSTALLED, wrong: null });
    expect(writeParsers(undefined)).toBe("");
    expect(readParsers("").parsers).toEqual([]);
  });

  it("are JSON without defaults if one is defined here", () => {
    expect(JSON.parse(writeParsers(DEFINED))).toEqual([
      "shop",
      {
        name: "list",
        version: "2",
        patterns: ["/list/*"],
        fields: {
          price: { css: ".price", type: "price", required: true },
          isNew: { default: false },
          name: "h1",
          sku: { css: ["b", "i"] },
        },
      },
    ]);
  });

  it("may be a single object", () => {
    expect(readParsers('{"name": "a", "fields": {"x": "h1"}}').parsers).toHaveLength(1);
  });

  it("say what is wrong with their JSON", () => {
    expect(readParsers("[{").wrong).not.toBeNull();
  });

  it("are described on one line", () => {
    expect(DEFINED.map(describeParser)).toEqual(["shop", "list: price, isNew, name, sku"]);
  });
});
