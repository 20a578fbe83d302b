import type { Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";
import { formatAbsolute, formatDay } from "../../format/times";
import { useWidth } from "../../ui/width";
import { groupByHour, type Hour, isNewDay, levelOf, type Slot } from "./slots";

const HOUR = new Intl.DateTimeFormat(undefined, { hour: "2-digit", hourCycle: "h23" });

/** The next 24 hours in slots. Hours are columns on wide screens, rows on narrow ones. */
export function HeatMap({ spread }: { spread: Schemas["Distribution"] }) {
  const { lg } = useWidth();
  const hours = groupByHour(spread.slots, spread.slot_minutes);
  const quarters = Array.from({ length: hours[0]?.quarters.length ?? 0 }, (_, index) => index);
  const label = (quarter: number) => `:${String(quarter * spread.slot_minutes).padStart(2, "0")}`;
  return (
    <div className="overflow-x-auto px-4 pb-3">
      <table
        data-testid="heat-map"
        className="w-full table-fixed border-separate border-spacing-[2px] text-2xs"
      >
        <caption className="sr-only">Scheduled runs per slot in the next 24 hours, in your time zone</caption>
        {lg ? (
          <>
            <thead>
              <tr>
                <th scope="col" className="w-8 font-normal text-faint">
                  <span className="sr-only">Minute</span>
                </th>
                {hours.map((hour, index) => (
                  <th key={hour.at.getTime()} scope="col" className="font-normal text-faint">
                    <HourName hours={hours} index={index} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {quarters.map((quarter) => (
                <tr key={quarter}>
                  <th scope="row" className="text-right font-normal text-faint">
                    {label(quarter)}
                  </th>
                  {hours.map((hour) => (
                    <Cell key={hour.at.getTime()} slot={hour.quarters[quarter] ?? null} peak={spread.peak} />
                  ))}
                </tr>
              ))}
            </tbody>
          </>
        ) : (
          <>
            <thead>
              <tr>
                <th scope="col" className="w-12 font-normal text-faint">
                  <span className="sr-only">Hour</span>
                </th>
                {quarters.map((quarter) => (
                  <th key={quarter} scope="col" className="font-normal text-faint">
                    {label(quarter)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {hours.map((hour, index) => (
                <tr key={hour.at.getTime()}>
                  <th scope="row" className="text-right font-normal whitespace-nowrap text-faint">
                    <HourName hours={hours} index={index} />
                  </th>
                  {hour.quarters.map((slot, quarter) => (
                    <Cell key={quarter} slot={slot} peak={spread.peak} />
                  ))}
                </tr>
              ))}
            </tbody>
          </>
        )}
      </table>
    </div>
  );
}

/** The hour; midnight shows as the new day. */
function HourName({ hours, index }: { hours: readonly Hour[]; index: number }) {
  const hour = hours[index];
  if (!hour) return null;
  return isNewDay(hours, index) ? (
    <span className="font-medium text-quiet">{formatDay(hour.at)}</span>
  ) : (
    HOUR.format(hour.at)
  );
}

function Cell({ slot, peak }: { slot: Slot | null; peak: number }) {
  if (slot === null) return <td className="h-7" />;
  return (
    <td
      title={`${formatAbsolute(new Date(slot.at))}: ${formatCount(slot.jobs)}`}
      className={`heat-${levelOf(slot.jobs, peak)} h-7 rounded-[4px] text-center tabular-nums`}
    >
      {slot.jobs > 0 ? formatCount(slot.jobs) : <span className="sr-only">0</span>}
    </td>
  );
}
