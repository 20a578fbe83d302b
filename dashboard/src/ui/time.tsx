import { useEffect } from "react";
import { create } from "zustand";
import { formatAbsolute, formatRelative } from "../format/times";

interface Now {
  now: Date;
}

const useNow = create<Now>(() => ({ now: new Date() }));
let shown = 0;
let ticking: ReturnType<typeof setInterval> | null = null;

function tick(): void {
  useNow.setState({ now: new Date() });
}

/** One ticking clock, shared by all times on the screen. */
export function useClock(): Date {
  useEffect(() => {
    shown += 1;
    if (ticking === null) {
      tick(); // it has stood still while no time was shown
      ticking = setInterval(tick, 1000);
    }
    return () => {
      shown -= 1;
      if (shown === 0 && ticking) {
        clearInterval(ticking);
        ticking = null;
      }
    };
  }, []);
  return useNow((state) => state.now);
}

export function Time({ at, className = "" }: { at: string | null | undefined; className?: string }) {
  const now = useClock();
  if (!at) return <span className="text-faint">–</span>;
  const moment = new Date(at);
  return (
    <time dateTime={at} title={formatAbsolute(moment)} className={`whitespace-nowrap ${className}`}>
      {formatRelative(moment, now)}
    </time>
  );
}
