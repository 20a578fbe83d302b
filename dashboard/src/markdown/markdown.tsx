/**
 * Markdown from outside as text with headings, lists, tables and links. Nothing of it can become HTML: each
 * part is an element of React with text in it, links lead to http and https only, and images are links.
 */

import { createElement, Fragment, type ReactNode, useMemo } from "react";
import { followable, reveal, revealProse } from "../format/text";
import { OutTextLink } from "../ui/untrusted";
import { type Block, type ListItem, parseMarkdown } from "./blocks";
import { type Inline, textOf } from "./inline";

interface MarkdownProps {
  text: string;
  /** The level of the heading above it. */
  below: number;
  className?: string;
}

export function Markdown({ text, below, className = "" }: MarkdownProps) {
  const { content, isCut } = useMemo(() => {
    const parsed = parseMarkdown(text);
    return { content: showBlocks(parsed.blocks, new Outline(below)), isCut: parsed.isCut };
  }, [text, below]);
  return (
    <div className={`prose ${className}`}>
      {content}
      {isCut && (
        <p>
          <em>The rest is too long to be shown here.</em>
        </p>
      )}
    </div>
  );
}

/** Makes the levels of headings, which may be any, follow each other. */
class Outline {
  private readonly open: number[] = [];

  constructor(private readonly below: number) {}

  place(level: number): number {
    while ((this.open.at(-1) ?? 0) >= level) this.open.pop();
    this.open.push(level);
    return Math.min(this.below + this.open.length, 6);
  }
}

function showBlocks(blocks: readonly Block[], outline: Outline): ReactNode {
  return blocks.map((block, place) => <Fragment key={place}>{showBlock(block, outline)}</Fragment>);
}

function showBlock(block: Block, outline: Outline): ReactNode {
  switch (block.kind) {
    case "heading":
      return createElement(`h${outline.place(block.level)}`, { dir: "auto" }, showInline(block.content));
    case "paragraph":
      return <p dir="auto">{showInline(block.content)}</p>;
    case "code":
      return (
        <pre tabIndex={0} dir="ltr">
          <code>{revealProse(block.text)}</code>
        </pre>
      );
    case "rule":
      return <hr />;
    case "quote":
      return <blockquote>{showBlocks(block.blocks, outline)}</blockquote>;
    case "list": {
      const items = block.items.map((item, place) => (
        <li key={place} dir={directionOf(item)} className={item.isDone === null ? undefined : "list-none"}>
          {showItem(item, outline)}
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return <MarkdownTable head={block.head} rows={block.rows} />;
  }
}

/** `auto` looks at text only, not at blocks that have a direction of their own. */
function directionOf({ blocks: [first] }: ListItem): "auto" | undefined {
  return first?.kind === "paragraph" ? "auto" : undefined;
}

function showItem({ isDone, blocks }: ListItem, outline: Outline): ReactNode {
  const [first, ...rest] = blocks;
  return (
    <>
      {isDone !== null && (
        <span role="img" aria-label={isDone ? "Done" : "To do"}>
          {isDone ? "☑ " : "☐ "}
        </span>
      )}
      {first?.kind === "paragraph" ? showInline(first.content) : first && showBlock(first, outline)}
      {showBlocks(rest, outline)}
    </>
  );
}

function MarkdownTable({ head, rows }: { head: Inline[][]; rows: Inline[][][] }) {
  const hasHead = head.some((cell) => textOf(cell).trim() !== "");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else
    <div role="group" aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>
        {hasHead && (
          <thead>
            <tr>
              {head.map((cell, place) =>
                textOf(cell).trim() === "" ? (
                  <td key={place} />
                ) : (
                  <th key={place} scope="col" dir="auto">
                    {showInline(cell)}
                  </th>
                ),
              )}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <td key={column} dir="auto">
                  {showInline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function showInline(nodes: readonly Inline[], isInLink = false): ReactNode {
  return nodes.map((node, place) => <Fragment key={place}>{showNode(node, isInLink)}</Fragment>);
}

function showNode(node: Inline, isInLink: boolean): ReactNode {
  switch (node.kind) {
    case "text":
      return revealProse(node.text);
    case "code":
      return <code>{revealProse(node.text)}</code>;
    case "break":
      return <br />;
    case "strong":
      return <strong>{showInline(node.children, isInLink)}</strong>;
    case "emphasis":
      return <em>{showInline(node.children, isInLink)}</em>;
    case "deleted":
      return <del>{showInline(node.children, isInLink)}</del>;
    case "link": {
      const text = textOf(node.children).trim();
      const shown = text === "" ? reveal(node.url) : showInline(node.children, true);
      if (isInLink || followable(node.url) === null) return shown;
      return <OutTextLink url={node.url}>{shown}</OutTextLink>;
    }
    case "image": {
      const alt = revealProse(node.alt.trim()) || "image";
      if (isInLink || followable(node.url) === null) return `[${alt}]`;
      return <OutTextLink url={node.url}>{`[${alt}]`}</OutTextLink>;
    }
  }
}
