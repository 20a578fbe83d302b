/** Crawled text is hostile: it can contain characters that a reader cannot see. */

// Control characters, marks that change the direction of text, and line separators.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;
const SPACES = /[\t\n\r]+/g;

/** The text on one line, with every invisible character replaced by its code point. */
export function reveal(text: string): string {
  return text.replace(SPACES, " ").replace(HIDDEN, numbered);
}

/** The same with line breaks kept, for longer text. */
export function revealLines(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(HIDDEN, (sign) => (sign === "\n" || sign === "\t" ? sign : numbered(sign)));
}

// Several scripts need joiners between letters, and marks beside signs that have no direction of their own.
const ORDINARY = /[\u200b-\u200f\u061c\n\t]/;

/** The same for text that is read rather than examined, in any script: only what can mislead is shown. */
export function revealProse(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(HIDDEN, (sign) => (ORDINARY.test(sign) ? sign : numbered(sign)));
}

function numbered(sign: string): string {
  return `⟨${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** The URL if it may be a link, otherwise null. Only http and https are allowed. */
export function followable(url: string): string | null {
  try {
    const parsed = new URL(url);
    return parsed.protocol === "http:" || parsed.protocol === "https:" ? parsed.href : null;
  } catch {
    return null;
  }
}

/** What a user typed into the search field: a URL or the name of a domain. */
export function readSearch(text: string): { kind: "url" | "domain"; value: string } | null {
  const value = text.trim();
  if (!value) return null;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return { kind: "url", value };
  if (/^[^\s/?#]+$/.test(value)) return { kind: "domain", value: value.toLowerCase() };
  return { kind: "url", value };
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Turns `robots_denied` into words. */
export function words(code: string): string {
  return code.replaceAll("_", " ");
}
