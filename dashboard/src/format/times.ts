const ABSOLUTE = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });

const STEPS: readonly [limit_s: number, size_s: number, unit: string][] = [
  [90, 1, "s"],
  [90 * 60, 60, "min"],
  [36 * 3600, 3600, "h"],
  [30 * 86_400, 86_400, "d"],
];

export function formatAbsolute(at: Date): string {
  return ABSOLUTE.format(at);
}

export function formatClock(at: Date): string {
  return CLOCK.format(at);
}

export function formatMinute(at: Date): string {
  return MINUTE.format(at);
}

export function formatDay(at: Date): string {
  return DAY.format(at);
}

/** A time on an axis whose marks are so many seconds apart: where a day begins, its date. */
export function formatTick(at: Date, step_s: number): string {
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;
  return step_s >= 86_400 || isMidnight ? DAY.format(at) : MINUTE.format(at);
}

/** “12 s ago”, “in 3 h”; beyond a month, a date. */
export function formatRelative(at: Date, now: Date): string {
  const away_s = (at.getTime() - now.getTime()) / 1000;
  const size_s = Math.abs(away_s);
  if (size_s < 2) return "now";
  for (const [limit_s, size, unit] of STEPS) {
    if (size_s < limit_s) {
      const amount = `${Math.round(size_s / size)} ${unit}`;
      return away_s < 0 ? `${amount} ago` : `in ${amount}`;
    }
  }
  return DAY_OF_YEAR.format(at);
}

/** A duration in its two largest units: “2 h 5 min”. */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const units: [number, string][] = [
    [86_400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [size, unit] of units) {
    const amount = Math.floor(rest / size);
    if (amount > 0) parts.push(`${amount} ${unit}`);
    else if (parts.length > 0) break;
    rest -= amount * size;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}
