import { describe, expect, it } from "vitest";
import { followable, readSearch, reveal, revealLines } from "./text";

describe("crawled text", () => {
  it("shows characters that change the direction of text", () => {
    expect(reveal("a\u202eb")).toBe("a⟨202E⟩b");
  });

  it("shows control characters and stays on one line", () => {
    expect(reveal("a\u0000\u001b[31m\nb\tc")).toBe("a⟨0000⟩⟨001B⟩[31m b c");
  });

  it("keeps line breaks", () => {
    expect(revealLines("a\r\nb\u2066c")).toBe("a\nb⟨2066⟩c");
  });

  it("leaves other scripts alone", () => {
    expect(reveal("Ünïcödé 日本語 עברית 🙂")).toBe("Ünïcödé 日本語 עברית 🙂");
  });
});

describe("crawled URLs", () => {
  it.each(["http://a.example/", "https://a.example/x?y#z"])("follows %s", (url) => {
    expect(followable(url)).toBe(url);
  });

  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc",
    "//x",
    "",
    "blob:x",
  ])("does not follow %s", (url) => {
    expect(followable(url)).toBeNull();
  });
});

describe("the search field", () => {
  it("treats a word as a domain", () => {
    expect(readSearch(" Example.com ")).toEqual({ kind: "domain", value: "example.com" });
  });

  it("treats a path or a scheme as a URL", () => {
    expect(readSearch("example.com/a")).toEqual({ kind: "url", value: "example.com/a" });
    expect(readSearch("https://example.com")).toEqual({ kind: "url", value: "https://example.com" });
  });

  it("ignores empty text", () => {
    expect(readSearch("  ")).toBeNull();
  });
});
