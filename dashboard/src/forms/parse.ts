/** Parses what users type into fields. Pure. */

export interface Address {
  text: string;
  url: URL | null; // null: not a URL
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

/** A number as typed; null: empty; NaN: not a number, or negative. */
export function readNumber(text: string): number | null {
  if (text.trim() === "") return null;
  const value = Number(text.replace(",", "."));
  return value >= 0 ? value : Number.NaN;
}
