/** How values of items are shown. Pure. */

const LONGEST = 400;

export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

// Fields come in the order of their names.
const TELLING = ["name", "title", "headline"];

/** The first fields of an item in one line, beginning with what it is called. */
export function summarize(data: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(data);
  const ordered = [...names.filter((each) => TELLING.includes(each)), ...names];
  const line = [...new Set(ordered)]
    .map((name) => [name, data[name]] as const)
    .map(([name, value]) => `${name}: ${formatValue(value)}`)
    .join(", ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

const COMPARISON = /^[^<>=!]+(<=|>=|!=|<|>|=)/;

/** Half-typed comparisons are left out: the server would refuse them. */
export function pickComparison(text: string | undefined): { where?: string[] } {
  return text && COMPARISON.test(text) ? { where: [text] } : {};
}
