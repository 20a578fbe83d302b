/** Bars: a share of a whole, several shares of a whole, and a histogram. */

import type { ReactNode } from "react";
import { formatCount, formatPercent } from "../format/numbers";
import type { Tone } from "./basics";

export function Meter({ part, whole, label }: { part: number; whole: number; label: string }) {
  const share = whole > 0 ? Math.min(1, part / whole) : 0;
  return (
    <span
      className="flex items-center gap-2"
      title={`${label}: ${formatCount(part)} of ${formatCount(whole)}`}
    >
      <span aria-hidden="true" className="h-1.5 w-14 shrink-0 overflow-hidden rounded-full bg-line">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="text-quiet">{whole > 0 ? formatPercent(share) : "–"}</span>
    </span>
  );
}

export interface Share {
  label: string;
  count: number;
  tone: Tone;
  link?: ReactNode;
}

export function Shares({ shares, label }: { shares: readonly Share[]; label: string }) {
  const whole = shares.reduce((sum, each) => sum + each.count, 0);
  const shown = shares.filter((each) => each.count > 0);
  return (
    <div>
      <div role="img" aria-label={label} className="flex h-2 gap-px overflow-hidden rounded-full bg-line">
        {shown.map((each) => (
          <span
            key={each.label}
            className={`tone-${each.tone} dot block h-full`}
            style={{ width: `${(each.count / whole) * 100}%` }}
          />
        ))}
      </div>
      <ul className="mt-3 grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-x-6 gap-y-1">
        {shown.map((each) => (
          <li key={each.label} className="flex items-center justify-between gap-2">
            <span className="flex items-center gap-2 text-quiet">
              <span aria-hidden="true" className={`tone-${each.tone} dot size-2 rounded-full`} />
              {each.link ?? each.label}
            </span>
            {formatCount(each.count)}
          </li>
        ))}
      </ul>
    </div>
  );
}

export interface Bar {
  label: string;
  count: number;
  isMarked?: boolean;
}

/** Counts side by side. */
export function Histogram({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const most = Math.max(1, ...bars.map((each) => each.count));
  return (
    <div
      role="img"
      aria-label={`${label}: ${bars.map((each) => `${each.label} ${each.count}`).join(", ")}`}
      className="flex h-44 items-end justify-center gap-1 px-4 pb-4"
    >
      {bars.map((each) => (
        <div
          key={each.label}
          className="flex h-full max-w-28 min-w-0 flex-1 flex-col items-center justify-end gap-1"
        >
          <span className="text-2xs text-quiet">{each.count > 0 ? formatCount(each.count) : ""}</span>
          <span
            className={`w-full rounded-t-[3px] ${each.count === 0 ? "bg-line" : each.isMarked ? "bg-bad" : "bg-accent/75"}`}
            style={{ height: each.count > 0 ? `max(2px, ${(each.count / most) * 70}%)` : "1px" }}
          />
          <span className="w-full truncate text-center text-2xs text-faint">{each.label}</span>
        </div>
      ))}
    </div>
  );
}
