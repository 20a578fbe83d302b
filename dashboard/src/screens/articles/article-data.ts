/** What the data of an item says of an article. It comes from parsers of users, too, and may be anything. Pure. */

const MOST_NAMES = 20;
const LONGEST = 1000;
// Languages that are written from right to left, unless their tag names another script.
const LEFTWARD = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "syr", "ug", "ur", "yi"]);
const LEFTWARD_SCRIPTS = /-(Arab|Hebr|Syrc|Thaa|Nkoo|Adlm|Rohg)\b/i;
const SCRIPT = /-[A-Za-z]{4}\b/;
const TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$/;
const DATE = /^\d{4}(-\d{2}(-\d{2})?)?$/;

export interface ArticleData {
  title: string | null;
  byline: string | null;
  publishedAt: string | null;
  modifiedAt: string | null;
  site: string | null;
  section: string | null;
  description: string | null;
  leadImage: string | null;
  tags: string[];
  /** A tag that browsers know, otherwise null. */
  language: string | null;
  markdown: string | null;
  text: string | null;
}

export function readArticle(data: Readonly<Record<string, unknown>>): ArticleData {
  const authors = readTexts(data.authors).join(", ");
  return {
    title: readText(data.title),
    byline: readText(data.byline) ?? (authors || null),
    publishedAt: readText(data.published_at),
    modifiedAt: readText(data.modified_at),
    site: readText(data.site),
    section: readText(data.section),
    description: readText(data.description),
    leadImage: readText(data.lead_image),
    tags: readTexts(data.tags),
    language: readLanguage(data.language),
    markdown: readLongText(data.markdown),
    text: readLongText(data.text),
  };
}

/** `auto`: its letters tell. */
export function directionOf(language: string | null): "rtl" | "ltr" | "auto" {
  if (language === null) return "auto";
  if (SCRIPT.test(language)) return LEFTWARD_SCRIPTS.test(language) ? "rtl" : "ltr";
  return LEFTWARD.has(language.split("-")[0]?.toLowerCase() ?? "") ? "rtl" : "ltr";
}

export function nameLanguage(language: string): string {
  return nameOf(language) ?? language;
}

/** A date as it is written, without a time if it has none; what is no date stays as it is. */
export function formatDate(written: string, isShort = false): string {
  const at = new Date(written);
  if (Number.isNaN(at.getTime()) || !/^\d{4}/.test(written)) return written;
  if (!DATE.test(written)) {
    return at.toLocaleString(
      undefined,
      isShort ? { dateStyle: "medium" } : { dateStyle: "long", timeStyle: "short" },
    );
  }
  const shown = { year: "numeric", month: isShort ? "short" : "long", day: "numeric" } as const;
  const { day, month, ...year } = shown;
  const precision = [year, { ...year, month }, { ...year, month, day }][written.split("-").length - 1];
  return at.toLocaleDateString(undefined, { ...precision, timeZone: "UTC" });
}

/** Paragraphs of plain text: a blank line ends one. */
export function splitParagraphs(text: string): string[] {
  return text.split(/\n[ \t]*\n/).filter((each) => each.trim() !== "");
}

function readText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return value.trim().slice(0, LONGEST) || null;
}

function readLongText(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function readTexts(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.slice(0, MOST_NAMES).map(readText) : [];
  return [...new Set(texts.filter((each) => each !== null))];
}

function readLanguage(value: unknown): string | null {
  return typeof value === "string" && TAG.test(value) && nameOf(value) !== undefined ? value : null;
}

function nameOf(language: string): string | undefined {
  try {
    return new Intl.DisplayNames(undefined, { type: "language", fallback: "none" }).of(language);
  } catch {
    return undefined;
  }
}
