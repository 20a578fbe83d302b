/** What users type into fields, as values. Pure. */

export interface Address {
  text: string;
  url: URL | null; // null: it is none
}

export function readAddresses(text: string): Address[] {
  return readLines(text).map((line) => {
    const full = /^[a-z][a-z0-9+.-]*:/i.test(line) ? line : `https://${line}`;
    try {
      const url = new URL(full);
      return { text: line, url: /^https?:$/.test(url.protocol) && url.hostname ? url : null };
    } catch {
      return { text: line, url: null };
    }
  });
}

export function readLines(text: string): string[] {
  return text
    .split(/\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Whole numbers and seconds as they were typed; null: left empty; NaN: no such number. */
export function readNumber(text: string): number | null {
  if (text.trim() === "") return null;
  const value = Number(text.replace(",", "."));
  return value >= 0 ? value : Number.NaN;
}
