/**
 * The blocks of a Markdown document: what CommonMark with GitHub's tables has, but no HTML, which stays text.
 *
 * Pure. It comes from websites and from parsers of users, so everything has a limit: what goes beyond is
 * shown as plain text, or cut.
 */

import { type Budget, type Inline, parseInline } from "./inline";

export type Block =
  | { kind: "heading"; level: number; content: Inline[] }
  | { kind: "paragraph"; content: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "rule" }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; start: number | null; items: ListItem[] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] };

export interface ListItem {
  /** Of a task list; null: it is no task. */
  isDone: boolean | null;
  blocks: Block[];
}

export interface MarkdownDocument {
  blocks: Block[];
  isCut: boolean;
}

export const MOST_CHARS = 150_000;
const MOST_NODES = 8_000;
const MOST_NESTED = 8;
const MOST_COLUMNS = 40;
const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])(?: {1,4}(?! )|$| (?= ))/;
const TASK = /^\[([ xX])\] /;
const DASHES = /^:?-+:?$/;

export function parseMarkdown(text: string): MarkdownDocument {
  const isCut = text.length > MOST_CHARS;
  const lines = text.slice(0, MOST_CHARS).replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n");
  return { blocks: new Reader(lines, { nodes: MOST_NODES }, 0).read(), isCut };
}

class Reader {
  private at = 0;
  private readonly blocks: Block[] = [];

  constructor(
    private readonly lines: readonly string[],
    private readonly budget: Budget,
    private readonly nested: number,
  ) {}

  read(): Block[] {
    while (this.at < this.lines.length) {
      if (this.line().trim() === "") this.at += 1;
      else if (this.budget.nodes <= 0) this.addRest();
      else this.addBlock();
    }
    return this.blocks;
  }

  private addBlock(): void {
    this.budget.nodes -= 1;
    const line = this.line();
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (fence) {
      this.addCode(fence[1] ?? "```");
      return;
    }
    if (heading) {
      this.addHeading(heading);
      return;
    }
    if (RULE.test(line)) {
      this.at += 1;
      this.blocks.push({ kind: "rule" });
      return;
    }
    if (this.nested < MOST_NESTED) {
      if (QUOTE.test(line)) {
        this.addQuote();
        return;
      }
      if (ITEM.test(line)) {
        this.addList();
        return;
      }
    }
    const columns = this.countColumns();
    if (columns > 0) {
      this.addTable(columns);
      return;
    }
    this.addParagraph();
  }

  private addRest(): void {
    const text = this.lines.slice(this.at).join("\n");
    this.at = this.lines.length;
    this.blocks.push({ kind: "code", text });
  }

  private addCode(fence: string): void {
    const isEnd = (line: string) => {
      const trimmed = line.trim();
      return trimmed.startsWith(fence) && trimmed.replaceAll(fence.charAt(0), "") === "";
    };
    const first = this.at + 1;
    this.at = first;
    while (this.at < this.lines.length && !isEnd(this.line())) this.at += 1;
    this.blocks.push({ kind: "code", text: this.lines.slice(first, this.at).join("\n") });
    this.at += 1;
  }

  private addHeading([, marks = "#", text = ""]: RegExpExecArray): void {
    this.at += 1;
    const content = this.parse(text.trim().replace(/(^|[^\\#])#+$/, "$1"));
    if (content.length > 0) this.blocks.push({ kind: "heading", level: marks.length, content });
  }

  private addQuote(): void {
    const first = this.at;
    while (this.at < this.lines.length && QUOTE.test(this.line())) this.at += 1;
    const inside = this.lines.slice(first, this.at).map((line) => line.replace(QUOTE, ""));
    this.blocks.push({ kind: "quote", blocks: this.readInside(inside) });
  }

  private addList(): void {
    const mark = ITEM.exec(this.line())?.[2] ?? "-";
    const sign = mark.at(-1);
    const start = mark.length > 1 ? Number(mark.slice(0, -1)) : null;
    const items: ListItem[] = [];
    while (this.at < this.lines.length) {
      const item = ITEM.exec(this.line());
      if (!item || item[2]?.at(-1) !== sign || RULE.test(this.line())) break;
      items.push(this.readItem(item));
    }
    this.blocks.push({ kind: "list", start, items });
  }

  private readItem([found, indent = "", mark = "-"]: RegExpExecArray): ListItem {
    this.budget.nodes -= 1;
    const width = Math.max(found.length, indent.length + mark.length + 1);
    const inside = [this.line().slice(found.length)];
    const isInside = (line: string) => line.trim() === "" || line.slice(0, width).trim() === "";
    this.at += 1;
    while (this.at < this.lines.length && isInside(this.line())) {
      inside.push(this.line().slice(width));
      this.at += 1;
    }
    const task = TASK.exec(inside[0] ?? "");
    if (task) inside[0] = (inside[0] ?? "").slice(task[0].length);
    return { isDone: task ? task[1] !== " " : null, blocks: this.readInside(inside) };
  }

  private readInside(lines: readonly string[]): Block[] {
    return new Reader(lines, this.budget, this.nested + 1).read();
  }

  /** Of the table that begins here; 0: there is none. */
  private countColumns(): number {
    const next = this.lines[this.at + 1];
    if (next === undefined || !this.line().includes("|") || !next.includes("-")) return 0;
    const columns = splitRow(next);
    const fits =
      columns.every((each) => DASHES.test(each)) && splitRow(this.line()).length === columns.length;
    return fits && columns.length <= MOST_COLUMNS ? columns.length : 0;
  }

  private addTable(columns: number): void {
    const head = this.readRow(columns);
    this.at += 1;
    const rows: Inline[][][] = [];
    while (this.at < this.lines.length && this.line().includes("|") && this.budget.nodes > 0) {
      rows.push(this.readRow(columns));
    }
    this.blocks.push({ kind: "table", head, rows });
  }

  private readRow(columns: number): Inline[][] {
    this.budget.nodes -= columns;
    const cells = splitRow(this.line());
    this.at += 1;
    return Array.from({ length: columns }, (_, place) => this.parse(cells[place] ?? ""));
  }

  private addParagraph(): void {
    const first = this.at;
    this.at += 1;
    while (this.at < this.lines.length && !this.endsParagraph(this.line())) this.at += 1;
    const text = this.lines.slice(first, this.at).map((line) => line.trimStart());
    this.blocks.push({ kind: "paragraph", content: this.parse(text.join("\n").trimEnd()) });
  }

  private endsParagraph(line: string): boolean {
    if (line.trim() === "" || FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
    return this.nested < MOST_NESTED && (QUOTE.test(line) || ITEM.test(line));
  }

  private parse(text: string): Inline[] {
    return parseInline(text, this.budget);
  }

  private line(): string {
    return this.lines[this.at] ?? "";
  }
}

/** The cells of a row, whose pipes are not those that are escaped. */
function splitRow(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, "")
    .split(/(?<!\\)\|/);
  if (cells.length > 1 && cells.at(-1)?.trim() === "") cells.pop();
  return cells.map((each) => each.trim().replaceAll("\\|", "|"));
}
