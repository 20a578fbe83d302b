/** Finds lines in the YAML editor. Pure. */

import type { Fault } from "../../api/client";

/** The line number of an error, starting at 1. */
export function lineOf(fault: Fault): number {
  return Number(/\d+/.exec(fault.where)?.[0] ?? 1);
}

/** Where a line starts and ends in the text. */
export function selectionOf(text: string, line: number): [start: number, end: number] {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return [start, start + (lines[line - 1]?.length ?? 0)];
}

/** A value of a definition in short form. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(describeValue).join(", ");
  return JSON.stringify(value);
}
