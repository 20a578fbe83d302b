/** Groups the slots of a day by hour for the heat map. Pure. */

import type { Schemas } from "../../api/client";

export type Slot = Schemas["Slot"];

export interface Hour {
  at: Date;
  quarters: readonly (Slot | null)[]; // null: outside of the next 24 hours
}

export function groupByHour(slots: readonly Slot[], slotMinutes: number): Hour[] {
  const hours = new Map<number, (Slot | null)[]>();
  const perHour = Math.max(1, Math.round(60 / slotMinutes));
  for (const slot of slots) {
    const at = new Date(slot.at);
    const start = at.getTime() - (at.getMinutes() * 60_000 + at.getSeconds() * 1000 + at.getMilliseconds());
    const quarters = hours.get(start) ?? new Array<Slot | null>(perHour).fill(null);
    quarters[Math.floor(at.getMinutes() / slotMinutes)] = slot;
    hours.set(start, quarters);
  }
  return [...hours]
    .sort(([one], [other]) => one - other)
    .map(([start, quarters]) => ({ at: new Date(start), quarters }));
}

/** The load of a slot relative to the peak, in four steps; 0: no runs start in it. */
export function levelOf(jobs: number, peak: number): 0 | 1 | 2 | 3 | 4 {
  if (jobs <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil((jobs / Math.max(peak, 4)) * 4))) as 1 | 2 | 3 | 4;
}

export function isNewDay(hours: readonly Hour[], index: number): boolean {
  const before = hours[index - 1];
  const here = hours[index];
  return here !== undefined && before !== undefined && before.at.getDate() !== here.at.getDate();
}
