/** What the API found wrong with a form, put where people can mend it. Pure. */

import { type Fault, Problem } from "../api/client";

/** By the field that shows it, its own name or the longest one above; what belongs to none is under "". */
export type FieldErrors = ReadonlyMap<string, string>;

export function placeFaults(faults: readonly Fault[], fields: readonly string[]): FieldErrors {
  const placed = new Map<string, string>();
  for (const fault of faults) {
    const where = fault.where.replace(/^body\.?/, "");
    const field = fields
      .filter((each) => where === each || where.startsWith(`${each}.`))
      .reduce((longest, each) => (each.length > longest.length ? each : longest), "");
    const entry = /^\.(\d+)/.exec(where.slice(field.length));
    const told = entry ? `Entry ${Number(entry[1]) + 1}: ${fault.message}` : fault.message;
    if (field === "") placed.set("", [placed.get(""), `${where}: ${told}`].filter(Boolean).join(" "));
    else if (!placed.has(field)) placed.set(field, told);
  }
  return placed;
}

/** Of an order that went wrong; one that has no faults of fields says what it is as a whole. */
export function readFieldErrors(error: Error | null, fields: readonly string[]): FieldErrors {
  if (error === null) return new Map();
  const faults = error instanceof Problem ? error.faults : [];
  return faults.length > 0 ? placeFaults(faults, fields) : new Map([["", error.message]]);
}

/** For the foot of a form: what no field shows, or that fields show something. */
export function describeErrors(errors: FieldErrors): string | null {
  if (errors.size === 0) return null;
  return errors.get("") ?? "Parts of it cannot be used: see the fields.";
}

/** Without those whose field says something else by now. */
export function dropResolved(placed: FieldErrors, sent: unknown, now: unknown): FieldErrors {
  const isSame = (field: string) => JSON.stringify(pick(sent, field)) === JSON.stringify(pick(now, field));
  return new Map([...placed].filter(([field]) => isSame(field)));
}

function pick(value: unknown, path: string): unknown {
  if (path === "") return value;
  return path
    .split(".")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], value);
}
