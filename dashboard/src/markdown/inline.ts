/** What is inside a paragraph of Markdown. Pure, and linear in the length of the text, whatever it says. */

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "break" }
  | { kind: "strong" | "emphasis" | "deleted"; children: Inline[] }
  | { kind: "link"; url: string; children: Inline[] }
  | { kind: "image"; url: string; alt: string };

/** How much may still be made of a document; beyond that, its text is left as it is. */
export interface Budget {
  nodes: number;
}

interface Frame {
  mark: string; // what opened it; "": the paragraph itself
  children: Inline[];
  /** A bracket around a link: links do not nest. */
  isOff?: boolean;
}

const MOST_OPEN = 12;
const MOST_URL_CHARS = 2000;
const KINDS = { "**": "strong", __: "strong", "*": "emphasis", _: "emphasis", "~~": "deleted" } as const;
const PLAIN = /[^\\`*_~[\]!&\n]+/y;
const TICKS = /`+/y;
const MARK = /\*\*|\*|__|_|~~/y;
const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/y;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const TARGET = new RegExp(
  `\\((?:<([^<>\\n]{0,${MOST_URL_CHARS}})>|((?:[^\\s()\\\\]|\\\\.){0,${MOST_URL_CHARS}}))(?:[ \\n]+"(?:[^"\\\\]|\\\\.){0,300}")?\\)`,
  "y",
);
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const WORD = /[\p{L}\p{N}]/u;

export function parseInline(text: string, budget: Budget): Inline[] {
  return new Scanner(text, budget).parse();
}

/** The words alone. */
export function textOf(nodes: readonly Inline[]): string {
  return nodes
    .map((each) => {
      if ("text" in each) return each.text;
      if ("children" in each) return textOf(each.children);
      return each.kind === "image" ? each.alt : " ";
    })
    .join("");
}

class Scanner {
  private at = 0;
  private readonly frames: Frame[] = [{ mark: "", children: [] }];
  /** Lengths of runs of backticks that nothing ends from here on. */
  private readonly unended = new Set<number>();

  constructor(
    private readonly text: string,
    private readonly budget: Budget,
  ) {}

  parse(): Inline[] {
    while (this.at < this.text.length) {
      if (this.budget.nodes <= 0) {
        this.say(this.text.slice(this.at));
        break;
      }
      this.step();
    }
    return this.flatten(0);
  }

  private step(): void {
    const plain = this.match(PLAIN);
    if (plain) {
      this.say(plain[0]);
      return;
    }
    switch (this.text[this.at]) {
      case "\\":
        this.readEscape();
        return;
      case "`":
        this.readCode();
        return;
      case "\n":
        this.readLineEnd();
        return;
      case "&":
        this.readEntity();
        return;
      case "[":
        this.open("[");
        return;
      case "!":
        if (this.text[this.at + 1] === "[") this.open("![");
        else this.sayNext(1);
        return;
      case "]":
        this.closeLink();
        return;
      default:
        this.readMark();
        return;
    }
  }

  private readEscape(): void {
    const next = this.text[this.at + 1] ?? "";
    if (next === "\n") {
      this.at += 2;
      this.add({ kind: "break" });
    } else if (/[!-/:-@[-`{-~]/.test(next)) {
      this.at += 2;
      this.say(next);
    } else this.sayNext(1);
  }

  private readCode(): void {
    const ticks = this.match(TICKS)?.[0] ?? "`";
    const end = this.unended.has(ticks.length) ? -1 : this.findTicks(ticks.length);
    if (end < 0) {
      this.unended.add(ticks.length);
      this.say(ticks);
      return;
    }
    const code = this.text.slice(this.at, end).replaceAll("\n", " ");
    this.at = end + ticks.length;
    this.add({ kind: "code", text: /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code });
  }

  private findTicks(length: number): number {
    const runs = /`+/g;
    runs.lastIndex = this.at;
    for (let run = runs.exec(this.text); run; run = runs.exec(this.text)) {
      if (run[0].length === length) return run.index;
    }
    return -1;
  }

  private readLineEnd(): void {
    const last = this.top().children.at(-1);
    const isHard = this.text.startsWith("  ", this.at - 2);
    this.at += 1;
    if (isHard && last?.kind === "text") {
      last.text = last.text.trimEnd();
      this.add({ kind: "break" });
    } else this.say(" ");
  }

  private readEntity(): void {
    const entity = this.match(ENTITY);
    if (!entity) {
      this.sayNext(1);
      return;
    }
    const [, name, decimal, hex] = entity;
    if (name) {
      this.say(NAMED[name] ?? "");
      return;
    }
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    this.say(isCharacter ? String.fromCodePoint(code) : "\ufffd");
  }

  private readMark(): void {
    const before = this.text[this.at - 1] ?? " ";
    const mark = this.matchInnermost(before) ?? this.match(MARK)?.[0];
    if (mark === undefined) {
      this.sayNext(1);
      return;
    }
    const after = this.text[this.at] ?? " ";
    // An underscore inside of a word is part of it.
    const isInWord = mark.startsWith("_") && WORD.test(before) && WORD.test(after);
    const opened = this.frames.findLastIndex((each) => each.mark === mark);
    if (opened > 0 && !/\s/.test(before) && !isInWord) {
      const children = this.flatten(opened);
      if (children.length > 0) {
        this.add({ kind: KINDS[mark as keyof typeof KINDS], children });
        return;
      }
      this.say(mark + mark);
      return;
    }
    if (/\s/.test(after) || isInWord || this.frames.length >= MOST_OPEN) {
      this.say(mark);
      return;
    }
    this.frames.push({ mark, children: [] });
  }

  /** `***both***` ends in the order in which it began. */
  private matchInnermost(before: string): string | undefined {
    const { mark } = this.top();
    if (!(mark in KINDS) || /\s/.test(before) || !this.text.startsWith(mark, this.at)) return undefined;
    this.at += mark.length;
    return mark;
  }

  private open(mark: "[" | "!["): void {
    this.at += mark.length;
    if (this.frames.length >= MOST_OPEN) {
      this.say(mark);
      return;
    }
    this.frames.push({ mark, children: [] });
  }

  private closeLink(): void {
    this.at += 1;
    const opened = this.frames.findLastIndex((each) => each.mark === "[" || each.mark === "![");
    const frame = this.frames[opened];
    if (!frame) {
      this.say("]");
      return;
    }
    const target = frame.isOff ? null : this.match(TARGET);
    const children = this.flatten(opened);
    if (!target) {
      this.say(frame.mark);
      for (const each of children) append(this.top().children, each);
      this.say("]");
      return;
    }
    const url = (target[1] ?? target[2] ?? "").replace(ESCAPED, "$1");
    if (frame.mark === "![") {
      this.add({ kind: "image", url, alt: textOf(children) });
      return;
    }
    this.add({ kind: "link", url, children });
    for (const each of this.frames) if (each.mark === "[") each.isOff = true;
  }

  /** Ends a frame and those inside of it, whose marks turn out to be text. */
  private flatten(first: number): Inline[] {
    const ended = this.frames.splice(first);
    const found: Inline[] = [];
    ended.forEach((frame, place) => {
      if (place > 0) append(found, { kind: "text", text: frame.mark });
      for (const each of frame.children) append(found, each);
    });
    return found;
  }

  private say(text: string): void {
    append(this.top().children, { kind: "text", text });
  }

  private sayNext(length: number): void {
    this.say(this.text.slice(this.at, this.at + length));
    this.at += length;
  }

  private add(node: Inline): void {
    this.budget.nodes -= 1;
    this.top().children.push(node);
  }

  private top(): Frame {
    return this.frames.at(-1) as Frame;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}

function append(nodes: Inline[], node: Inline): void {
  const last = nodes.at(-1);
  if (node.kind === "text" && last?.kind === "text") last.text += node.text;
  else nodes.push(node);
}
