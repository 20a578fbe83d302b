/** The parsers of a source, as typed and as the API has them. Pure. */

import type { Schemas } from "../../api/client";
import { formatPercent } from "../../format/numbers";
import { readLines } from "../../forms/parse";

type SourceCandidate = Schemas["SourceDefinition"]["candidates"][number];
export type SourceParsers = Schemas["SourceDefinition"]["parsers"];

const PLACES = ["jsonld", "microdata", "meta", "css", "url", "regex"];

/** Names, one per line, if all parsers are installed ones; otherwise JSON without what says nothing. */
export function writeParsers(parsers: SourceParsers | undefined): string {
  const given = parsers ?? [];
  if (given.every((each) => isInstalled(each) && each.uses == null))
    return given.map((each) => each.name).join("\n");
  return JSON.stringify(given.map(shorten), null, 2);
}

export function readParsers(text: string): { parsers: SourceParsers; wrong: string | null } {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) {
    return { parsers: readLines(text).map((name) => ({ name })) as unknown as SourceParsers, wrong: null };
  }
  try {
    const value: unknown = JSON.parse(trimmed);
    return { parsers: (Array.isArray(value) ? value : [value]) as SourceParsers, wrong: null };
  } catch (error) {
    return { parsers: [], wrong: error instanceof Error ? error.message : String(error) };
  }
}

export function describeParser(parser: SourceParsers[number]): string {
  const fields = Object.keys(parser.fields ?? {});
  return fields.length === 0 ? parser.name : `${parser.name}: ${fields.join(", ")}`;
}

export function describeCandidate(candidate: SourceCandidate): string {
  return `${candidate.name}: ${formatPercent(candidate.share)} of its pages`;
}

function isInstalled(parser: SourceParsers[number]): boolean {
  return Object.keys(parser.fields ?? {}).length === 0;
}

function shorten(parser: SourceParsers[number]): object | string {
  if (isInstalled(parser))
    return parser.uses == null ? parser.name : { name: parser.name, uses: parser.uses };
  const fields = Object.entries(parser.fields ?? {}).map(([name, field]) => [
    name,
    typeof field === "string" ? field : shortenField(field),
  ]);
  return { ...dropDefaults(parser), fields: Object.fromEntries(fields) };
}

/** As a person would write it: one place without a list, and only a selector as a text. */
function shortenField(field: object): object | string {
  const given = Object.entries(dropDefaults(field)).map(([name, value]) => [
    name,
    PLACES.includes(name) && Array.isArray(value) && value.length === 1 ? value[0] : value,
  ]);
  const [first] = given;
  const isSelector = given.length === 1 && first?.[0] === "css" && typeof first[1] === "string";
  return isSelector ? first[1] : Object.fromEntries(given);
}

function dropDefaults(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isDefault(name, value)));
}

function isDefault(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value == null || (name === "type" && value === "text") || (name !== "default" && value === false);
}
