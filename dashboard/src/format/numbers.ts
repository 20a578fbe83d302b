const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const COMPACT = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

export function formatCount(value: number): string {
  return WHOLE.format(value);
}

/** For narrow places. Numbers up to 9,999 are shown in full. */
export function formatCompact(value: number): string {
  return Math.abs(value) < 10_000 ? WHOLE.format(value) : COMPACT.format(value);
}

export function formatBytes(bytes: number): string {
  let size = Math.abs(bytes);
  let unit = 0;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${formatDigits(unit === 0 ? Math.round(size) : size)} ${UNITS[unit]}`;
}

export function formatRate(perSecond: number): string {
  return formatDigits(perSecond);
}

export function formatPercent(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 0.1 ? "< 0.1 %" : `${formatDigits(percent)} %`;
}

/** Up to three significant digits: 0.12, 1.23, 12.3, 123. */
export function formatDigits(value: number): string {
  const size = Math.abs(value);
  const digits = size === 0 || size >= 99.95 || Number.isInteger(value) ? 0 : size >= 9.995 ? 1 : 2;
  return value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
