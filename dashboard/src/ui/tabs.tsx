import { Link } from "@tanstack/react-router";

/** The tabs of a screen. Each has its own address. */
export function Tabs({
  tabs,
  current,
  label,
}: {
  tabs: readonly (readonly [key: string, text: string])[];
  current: string;
  label: string;
}) {
  return (
    <nav aria-label={label} className="-mb-1 flex gap-5 overflow-x-auto border-b border-line">
      {tabs.map(([key, text]) => (
        <Link
          key={key}
          to="."
          search={(before: Record<string, unknown>) => ({
            ...before,
            tab: key === tabs[0]?.[0] ? undefined : key,
          })}
          replace
          aria-current={key === current ? "page" : undefined}
          className={`-mb-px border-b-2 pt-1 pb-2 whitespace-nowrap ${key === current ? "border-accent font-medium text-ink" : "border-transparent text-quiet hover:text-ink"}`}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
