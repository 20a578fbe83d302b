import { describe, expect, it } from "vitest";
import { directionOf, formatDate, nameLanguage, readArticle, splitParagraphs } from "./article-data";

describe("an article", () => {
  it("is read from the data of its item", () => {
    const article = readArticle({
      title: " T ",
      authors: ["A", "B", "A"],
      language: "ar",
      text: "x",
      tags: ["t"],
    });
    expect(article).toMatchObject({ title: "T", byline: "A, B", language: "ar", text: "x", tags: ["t"] });
    expect(readArticle({ byline: "By A", authors: ["A"] }).byline).toBe("By A");
  });

  it.each([
    { title: 5, authors: "A", tags: [1, null, {}], text: "  ", markdown: ["x"], language: {} },
    { title: " ", authors: {}, published_at: 7, lead_image: [], language: "not a tag" },
    {},
  ])("leaves out what is no text", (data) => {
    const { tags, ...rest } = readArticle(data);
    expect(tags).toEqual([]);
    expect(Object.values(rest).every((each) => each === null)).toBe(true);
  });

  it.each(["xx-zz-", "<script>", "qqx", "", "e"])("has no language %j", (language) => {
    expect(readArticle({ language }).language).toBeNull();
  });

  it.each([
    ["ar", "rtl"],
    ["fa-IR", "rtl"],
    ["HE", "rtl"],
    ["az-Arab", "rtl"],
    ["ur-Latn-PK", "ltr"],
    ["en", "ltr"],
    [null, "auto"],
  ])("in %s runs %s", (language, direction) => {
    expect(directionOf(language)).toBe(direction);
  });

  it.each([
    ["2026-05-01", "May 1, 2026"],
    ["2026-05", "May 2026"],
    ["2026", "2026"],
    ["2026-05-01T23:30:00Z", "May 1, 2026 at 11:30 PM"],
    ["soon", "soon"],
    ["5", "5"],
    ["2026-99-99", "2026-99-99"],
  ])("dated %s is shown as %s", (written, shown) => {
    expect(formatDate(written).replaceAll("\u202f", " ")).toBe(shown);
  });

  it.each([
    ["2026-09-01", "Sep 1, 2026"],
    ["2026-09-01T23:30:00Z", "Sep 1, 2026"],
    ["soon", "soon"],
  ])("dated %s is shown as %s in lists", (written, shown) => {
    expect(formatDate(written, true)).toBe(shown);
  });

  it("has paragraphs between blank lines, and languages with names", () => {
    expect(splitParagraphs("a\nb\n \nc\n\n\n")).toEqual(["a\nb", "c"]);
    expect(nameLanguage("ar")).toBe("Arabic");
  });
});
