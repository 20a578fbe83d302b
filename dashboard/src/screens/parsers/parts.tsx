import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { formatCount, formatPercent } from "../../format/numbers";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

export function share(value: number | null): string {
  return value === null ? "–" : formatPercent(value);
}

/** A short table, which scrolls by itself where the screen is narrow. */
export function PlainTable({
  label,
  heads,
  texts = 1,
  children,
}: {
  label: string;
  heads: readonly string[];
  /** How many of the first columns are texts; the others are numbers. */
  texts?: number;
  children: ReactNode;
}) {
  return (
    <div className="overflow-x-auto">
      <table className="mb-2 w-full" aria-label={label}>
        <thead className="text-left text-xs text-quiet">
          <tr>
            {heads.map((head, index) => (
              <th
                key={head}
                className={`font-medium whitespace-nowrap ${index === 0 ? "px-4" : "px-3"} ${index < texts ? "" : "text-right"}`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The first cell of a row. */
export function RowHead({ children }: { children: ReactNode }) {
  return (
    <th scope="row" className="max-w-44 truncate px-4 text-left font-medium sm:max-w-96">
      {children}
    </th>
  );
}

export const FIGURE_HEADS = [
  "Pages",
  "Items",
  "Invalid",
  "Failed",
  "With items",
  "Valid",
  "Confidence",
] as const;

export function FigureCells({ figures }: { figures: Schemas["ParserFigures"] }) {
  const cells = [
    formatCount(figures.pages),
    formatCount(figures.items),
    formatCount(figures.invalid),
    formatCount(figures.errors),
    share(figures.share_with_items),
    share(figures.share_valid),
    share(figures.confidence),
  ];
  return cells.map((cell, index) => (
    <td key={FIGURE_HEADS[index]} className="px-3 text-right whitespace-nowrap">
      {cell}
    </td>
  ));
}

export function Alerts({ alerts }: { alerts: readonly Schemas["ParserAlertView"][] }) {
  return (
    <ul className="px-4 pb-3">
      {alerts.map((alert) => (
        <li key={alert.id} className={alert.ended_at === null ? "text-bad" : "text-quiet"}>
          <Untrusted text={alert.sentence} />{" "}
          <span className="text-xs text-quiet">
            since <Time at={alert.at} />
            {alert.ended_at !== null && (
              <>
                {" until "}
                <Time at={alert.ended_at} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
