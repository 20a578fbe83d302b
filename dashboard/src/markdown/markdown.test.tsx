import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { MOST_CHARS, parseMarkdown } from "./blocks";
import { Markdown } from "./markdown";

function render(text: string): string {
  return renderToStaticMarkup(<Markdown text={text} below={1} />).replace(
    / (dir="\w+"|tabindex="0"|title="[^"]*"|target="_blank"|rel="noopener noreferrer nofollow"|class="[^"]*")/g,
    "",
  );
}

function inside(text: string): string {
  return render(text).replace(/^<div>(.*)<\/div>$/s, "$1");
}

const OUT = "<span> (opens in a new tab)</span></a>";

describe("Markdown", () => {
  it.each([
    ["one\ntwo\n\nthree", "<p>one two</p><p>three</p>"],
    ["one\\\ntwo  \nthree", "<p>one<br/>two<br/>three</p>"],
    ["# One\n\n## Two \\#\n\n# Three ##", "<h2>One</h2><h3>Two #</h3><h2>Three </h2>"],
    ["###### Deep\n\n# Top\n\n##### Deep", "<h2>Deep</h2><h2>Top</h2><h3>Deep</h3>"],
    [
      "**b** *i* ***both*** ~~d~~ `c*`",
      "<p><strong>b</strong> <em>i</em> <strong><em>both</em></strong> <del>d</del> <code>c*</code></p>",
    ],
    ["**b *i* b** ``a`b``", "<p><strong>b <em>i</em> b</strong> <code>a`b</code></p>"],
    ["2 * 3 * 4, snake_case_name, __b__", "<p>2 * 3 * 4, snake_case_name, <strong>b</strong></p>"],
    ["\\*no\\* &lt;b&gt; &#65;&#x42; &copy;", "<p>*no* &lt;b&gt; AB &amp;copy;</p>"],
    [
      "- one\n  - two\n\n    more\n- [x] task",
      '<ul><li>one<ul><li>two<p>more</p></li></ul></li><li><span role="img" aria-label="Done">☑ </span>task</li></ul>',
    ],
    ["5. five\n6. six", '<ol start="5"><li>five</li><li>six</li></ol>'],
    ["- a\n+ b", "<ul><li>a</li></ul><ul><li>b</li></ul>"],
    [
      "> quote\n>\n> ```py\n> x = 1\n> ```",
      "<blockquote><p>quote</p><pre><code>x = 1</code></pre></blockquote>",
    ],
    ["````\n```\n````\n***", "<pre><code>```</code></pre><hr/>"],
    [
      "| a\\|b | |\n| --- | :-: |\n| 1 | 2 | 3 |",
      '<div role="group" aria-label="Table"><table><thead><tr><th scope="col">a|b</th><td></td></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
    ],
    [
      '[1] [2] [x](https://e.example/a\\(b\\) "t")',
      `<p>[1] [2] <a href="https://e.example/a(b)">x${OUT}</p>`,
    ],
    [
      "[a [b](https://b.example) c](https://c.example)",
      `<p>[a <a href="https://b.example/">b${OUT} c](https://c.example)</p>`,
    ],
  ])("shows %j", (text, html) => {
    expect(inside(text)).toBe(html);
  });

  it("never loads images: they are links with their text", () => {
    expect(inside("![pic](https://e.example/i.png)")).toBe(
      `<p><a href="https://e.example/i.png">[pic]${OUT}</p>`,
    );
    expect(inside("[![pic](https://e.example/i.png)](https://e.example/)")).toBe(
      `<p><a href="https://e.example/">[pic]${OUT}</p>`,
    );
  });
});

describe("hostile Markdown", () => {
  it.each([
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    '# <svg onload="alert(1)">',
    "```\n</code></pre><script>alert(1)</script>\n```",
    "`<iframe src=//e.example>`",
    "| <b onclick=x> |\n| --- |\n| <style>*{}</style> |",
    "- [ ] <input autofocus onfocus=alert(1)>",
    "&lt;script&gt; &#60;script&#62;",
  ])("%j stays text", (text) => {
    const tags = render(text).match(/<\/?[a-z]\w*/g) ?? [];
    const ours = /^<\/?(div|p|h2|pre|code|table|thead|tbody|tr|th|td|ul|li|span)$/;
    expect(tags.filter((tag) => !ours.test(tag))).toEqual([]);
    expect(render(text)).not.toMatch(/<[^>]*\son\w+=/);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&#115;cript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://e.example/1",
    "//e.example",
    "/relative",
    "#anchor",
  ])("%j is no link", (url) => {
    for (const text of [`[x](${url})`, `[x](<${url}>)`, `![x](${url})`])
      expect(render(text)).not.toContain("<a");
  });

  it("cannot break out of an attribute", () => {
    const html = render('[x](https://e.example/"onmouseover="alert\\(1\\))');
    expect(html).toContain('href="https://e.example/%22onmouseover=%22alert');
    expect(html).not.toMatch(/"\s*onmouseover/);
  });

  it("cannot turn the direction of what follows, and keeps the joiners of scripts", () => {
    expect(inside("a\u202egnp.exe\u2066b")).toBe("<p>a⟨202E⟩gnp.exe⟨2066⟩b</p>");
    expect(inside("می\u200cخواهم")).toBe("<p>می\u200cخواهم</p>");
  });

  it.each([
    ["quotes", "> ".repeat(50_000)],
    ["quotes with text", `${">".repeat(50_000)}x`],
    [
      "lists",
      Array.from({ length: 2_000 }, (_, depth) => `${"  ".repeat(Math.min(depth, 40))}- x`).join("\n"),
    ],
    ["lists in a line", `${"- ".repeat(50_000)}x`],
    ["brackets", "[".repeat(100_000)],
    ["closed brackets", "[".repeat(50_000) + "]".repeat(50_000)],
    ["targets", "](".repeat(50_000)],
    ["open targets", "[a](".repeat(30_000)],
    ["targets in brackets", "[a](<".repeat(30_000)],
    ["titles", '[a](b "'.repeat(20_000)],
    ["stars", "*a ".repeat(40_000)],
    ["stars in a row", "*".repeat(100_000)],
    ["stars in words", "*a**a".repeat(25_000)],
    ["underscores", "_a_".repeat(40_000)],
    ["strikes", "~~a ".repeat(30_000)],
    ["ticks of all lengths", Array.from({ length: 500 }, (_, length) => "`".repeat(length + 1)).join(" ")],
    ["ticks", "` `` ".repeat(25_000)],
    ["backslashes", "\\".repeat(100_000)],
    ["entities", "&#".repeat(60_000)],
    ["images", "![".repeat(60_000)],
    ["fences", "```\n".repeat(30_000)],
    ["headings", "# #\n".repeat(30_000)],
    ["number signs", `# ${"#".repeat(100_000)}x`],
    ["rules", `${"* ".repeat(50_000)}x`],
    ["dashes", `${"- -".repeat(40_000)}x`],
    ["table", `|a|\n|-|\n${"|b|\n".repeat(30_000)}`],
    ["columns", `${"|a".repeat(20_000)}\n${"|-".repeat(20_000)}\n`],
    ["pipes", "|\n".repeat(60_000)],
    ["spaces", `a${" ".repeat(100_000)}b`],
    ["lines", "\n".repeat(140_000)],
    ["paragraphs", "a\n\n".repeat(45_000)],
    ["emphasis", "**a** ".repeat(22_000)],
  ])("of many %s takes little time, and few elements", (_, text) => {
    const begin = performance.now();
    parseMarkdown(text);
    expect(performance.now() - begin).toBeLessThan(1_000);
    const html = render(text);
    expect(html.match(/<[a-z]/g)?.length ?? 0).toBeLessThan(20_000);
    expect(html.split("<blockquote>").length).toBeLessThan(20);
  });

  it("that is too long is cut, and says so", () => {
    const text = "word ".repeat(MOST_CHARS);
    expect(parseMarkdown(text).isCut).toBe(true);
    expect(render(text)).toContain("The rest is too long to be shown here.");
    expect(render(text).length).toBeLessThan(MOST_CHARS + 1_000);
  });
});
