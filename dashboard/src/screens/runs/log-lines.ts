const MOST = 5000;

export interface LogLines<T> {
  lines: readonly T[];
  dropped: number;
}

/** Appends lines and keeps only the newest. */
export function appendNewest<T>(before: LogLines<T>, more: readonly T[], most = MOST): LogLines<T> {
  const all = [...before.lines, ...more];
  const surplus = Math.max(0, all.length - most);
  return { lines: surplus > 0 ? all.slice(surplus) : all, dropped: before.dropped + surplus };
}
