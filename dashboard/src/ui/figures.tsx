import type { ReactNode } from "react";
import { Skeleton } from "./basics";

export type Figure = readonly [label: string, value: ReactNode];

/** A strip of key figures. */
export function Figures({ figures }: { figures: readonly Figure[] | undefined }) {
  return (
    <dl className="panel grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] overflow-hidden">
      {figures ? (
        figures.map(([label, value]) => (
          <div key={label} className="-mb-px -ml-px min-w-0 border-b border-l border-line px-4 py-2.5">
            <dt className="truncate text-xs text-quiet">{label}</dt>
            <dd className="truncate text-lg font-semibold tracking-tight">{value}</dd>
          </div>
        ))
      ) : (
        <div>
          <dt className="sr-only">Loading</dt>
          <dd>
            <Skeleton className="m-4 h-10" />
          </dd>
        </div>
      )}
    </dl>
  );
}
