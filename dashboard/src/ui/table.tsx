import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from "react";
import type { List } from "../api/queries";
import { formatCount } from "../format/numbers";
import { capitalize } from "../format/text";
import { Empty, LoadError, Skeleton } from "./basics";
import { type Breakpoint, useWidth, type Width } from "./width";

export interface Column<Row> {
  key: string;
  title: string;
  /** A CSS grid track: "8rem", "minmax(12rem,2fr)". */
  width: string;
  isNumber?: boolean;
  /** The API's `sort` value for this column. */
  sort?: string;
  /** The smallest width at which the column is shown. */
  from?: Breakpoint;
  /** The column is shown only below this width. */
  below?: Breakpoint;
  cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  /** What its rows are, in the plural: "runs", "URLs". */
  noun: string;
  /** Its accessible name, where that is more than the noun. */
  label?: string;
  columns: readonly Column<Row>[];
  list: List<Row>;
  keyOf: (row: Row, index: number) => string | number;
  /** Shown instead of the table if there are no rows at all. */
  empty: ReactNode;
  /** Whether filters are set. An empty table then says that nothing matches. */
  isFiltered?: boolean | undefined;
  sort?: string | undefined;
  onSort?: ((sort: string) => void) | undefined;
  className?: string;
}

const ROW_PX = 40;
const GHOSTS = 12;

/** A virtualized table: only visible rows are in the DOM. */
export function Table<Row>({
  noun,
  label = capitalize(noun),
  columns,
  list,
  keyOf,
  empty,
  isFiltered = false,
  sort,
  onSort,
  className = "min-h-[24rem] flex-1",
}: TableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth();
  const shown = useMemo(() => columns.filter((each) => isShown(each, width)), [columns, width]);
  const tracks = { gridTemplateColumns: shown.map((each) => each.width).join(" ") };
  const { rows, hasMore, isLoadingMore, loadMore } = list;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const inSight = virtual.getVirtualItems();
  const lastInSight = inSight.at(-1)?.index ?? -1;

  useEffect(() => {
    if (hasMore && !isLoadingMore && lastInSight >= rows.length - 30) loadMore();
  }, [hasMore, isLoadingMore, lastInSight, rows.length, loadMore]);

  if (list.error && rows.length === 0) {
    return (
      <div className={`panel ${className}`}>
        <LoadError error={list.error} onRetry={list.reload} />
      </div>
    );
  }
  if (!list.isLoading && rows.length === 0 && !hasMore) {
    return (
      <div className={`panel ${className}`}>
        {isFiltered ? <Empty title={`No ${noun} match`}>Change or remove filters to see more.</Empty> : empty}
      </div>
    );
  }
  return (
    <div className={`panel flex min-h-0 flex-col overflow-hidden ${className}`}>
      <div
        ref={scroller}
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        tabIndex={0}
        onKeyDown={moveAmongRows}
        className="min-h-0 flex-1 overflow-auto overscroll-contain -outline-offset-2"
      >
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-panel">
          <div role="row" className="grid items-center gap-x-4 px-4" style={tracks}>
            {shown.map((column) => (
              <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className="relative"
          style={{ height: list.isLoading ? GHOSTS * ROW_PX : virtual.getTotalSize() }}
        >
          {list.isLoading
            ? ghosts(shown, tracks)
            : inSight.map((item) => {
                const row = rows[item.index] as Row;
                return (
                  <div
                    key={keyOf(row, item.index)}
                    role="row"
                    aria-rowindex={item.index + 2}
                    className="absolute inset-x-0 top-0 grid h-10 items-center gap-x-4 border-b border-line/60 px-4 hover:bg-sunken/70"
                    style={{ ...tracks, transform: `translateY(${item.start}px)` }}
                  >
                    {shown.map((column) => (
                      <div
                        key={column.key}
                        role="cell"
                        className={`truncate ${column.isNumber ? "text-right" : ""}`}
                      >
                        {column.cell(row)}
                      </div>
                    ))}
                  </div>
                );
              })}
        </div>
      </div>
      <p
        className="flex h-8 shrink-0 items-center justify-between border-t border-line px-4 text-quiet text-xs"
        aria-live="polite"
      >
        <span>
          {list.isLoading
            ? "Loading…"
            : `${formatCount(rows.length)}${hasMore ? " loaded" : rows.length === 1 ? " row" : " rows"}`}
        </span>
        <span>
          {isLoadingMore
            ? "Loading more…"
            : list.error
              ? "Loading more failed."
              : hasMore
                ? "Scroll for more"
                : ""}
        </span>
      </p>
    </div>
  );
}

function isShown<Row>({ from, below }: Column<Row>, width: Width): boolean {
  return (!from || width[from]) && !(below && width[below]);
}

function HeadCell<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  const isSorted = column.sort !== undefined && sort === column.sort;
  const place = column.isNumber ? "justify-end text-right" : "";
  return (
    <div
      role="columnheader"
      aria-sort={isSorted ? (sort?.startsWith("-") ? "descending" : "ascending") : undefined}
      className={`flex h-9 min-w-0 items-center text-xs font-medium text-quiet ${place}`}
    >
      {column.sort && onSort ? (
        <button
          type="button"
          onClick={() => column.sort && onSort(column.sort)}
          className={`truncate hover:text-ink ${isSorted ? "text-ink" : ""}`}
        >
          {column.isNumber && <Arrow isSorted={isSorted} sort={column.sort} />}
          {column.title}
          {!column.isNumber && <Arrow isSorted={isSorted} sort={column.sort} />}
        </button>
      ) : (
        <span className="truncate">{column.title}</span>
      )}
    </div>
  );
}

function Arrow({ isSorted, sort }: { isSorted: boolean; sort: string }) {
  return (
    <span aria-hidden="true" className={`mx-1 ${isSorted ? "" : "opacity-0"}`}>
      {sort.startsWith("-") ? "↓" : "↑"}
    </span>
  );
}

function ghosts<Row>(shown: readonly Column<Row>[], tracks: { gridTemplateColumns: string }) {
  return Array.from({ length: GHOSTS }, (_, index) => (
    <div
      key={index}
      role="row"
      className="grid h-10 items-center gap-x-4 border-b border-line/60 px-4"
      style={tracks}
    >
      {shown.map((column) => (
        <div key={column.key} role="cell">
          <Skeleton className="h-3.5 w-3/4" />
        </div>
      ))}
    </div>
  ));
}

/** Arrow keys move between the links of rows. */
function moveAmongRows(event: KeyboardEvent<HTMLDivElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const row = (event.target as HTMLElement).closest<HTMLElement>("[role=row][aria-rowindex]");
  if (step === 0 || !row) return;
  const wanted = String(Number(row.getAttribute("aria-rowindex")) + step);
  const next = event.currentTarget.querySelector<HTMLElement>(`[aria-rowindex="${wanted}"] :is(a, button)`);
  if (next) {
    event.preventDefault();
    next.focus();
  }
}
