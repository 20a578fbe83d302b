/** Assigns the API's validation errors to the fields of a form. Pure. */

import { type Fault, Problem } from "../api/client";

/** Messages by field: the field itself or its closest ancestor. Messages that belong to no field are under "". */
export type FieldErrors = ReadonlyMap<string, string>;

export function placeFaults(faults: readonly Fault[], fields: readonly string[]): FieldErrors {
  const placed = new Map<string, string>();
  for (const fault of faults) {
    const where = fault.where.replace(/^body\.?/, "");
    const field = fields
      .filter((each) => where === each || where.startsWith(`${each}.`))
      .reduce((longest, each) => (each.length > longest.length ? each : longest), "");
    const entry = /^\.(\d+)/.exec(where.slice(field.length));
    const message = entry ? `Entry ${Number(entry[1]) + 1}: ${fault.message}` : fault.message;
    if (field === "") placed.set("", [placed.get(""), `${where}: ${message}`].filter(Boolean).join(" "));
    else if (!placed.has(field)) placed.set(field, message);
  }
  return placed;
}

/** The errors of a failed request. Without errors of fields, its message is under "". */
export function readFieldErrors(error: Error | null, fields: readonly string[]): FieldErrors {
  if (error === null) return new Map();
  const faults = error instanceof Problem ? error.faults : [];
  return faults.length > 0 ? placeFaults(faults, fields) : new Map([["", error.message]]);
}

/** The message at the end of a form: errors that belong to no field, or a pointer to the fields. */
export function describeErrors(errors: FieldErrors): string | null {
  if (errors.size === 0) return null;
  return errors.get("") ?? "Some fields are invalid. See the messages below them.";
}

/** Drops the errors of fields that have changed since they were sent. */
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
