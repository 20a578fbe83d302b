import { useSyncExternalStore } from "react";

export type Breakpoint = "sm" | "md" | "lg" | "xl";
export type Width = Readonly<Record<Breakpoint, boolean>>;

const QUERIES: Record<Breakpoint, MediaQueryList> = {
  sm: matchMedia("(min-width: 640px)"),
  md: matchMedia("(min-width: 820px)"),
  lg: matchMedia("(min-width: 1080px)"),
  xl: matchMedia("(min-width: 1400px)"),
};

let width = measure();

function measure(): Width {
  return { sm: QUERIES.sm.matches, md: QUERIES.md.matches, lg: QUERIES.lg.matches, xl: QUERIES.xl.matches };
}

function subscribe(onChange: () => void): () => void {
  const change = () => {
    width = measure();
    onChange();
  };
  for (const query of Object.values(QUERIES)) query.addEventListener("change", change);
  return () => {
    for (const query of Object.values(QUERIES)) query.removeEventListener("change", change);
  };
}

export function useWidth(): Width {
  return useSyncExternalStore(subscribe, () => width);
}
