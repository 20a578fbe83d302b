import { reveal } from "../../format/text";
import type { FieldErrors } from "../../forms/field-errors";
import { readNumber } from "../../forms/parse";
import { Field, Select, TextField } from "../../ui/forms";
import { DAYS, type IntervalType, type ScheduleDraft } from "./schedule-draft";

const UNITS: readonly IntervalType[] = ["minutes", "hours", "days"];
// Small, and the same for everybody who looks.
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((each) => each !== "UTC")];

/** `prefix`: of the names of its faults. */
export function ScheduleFields({
  draft,
  faults,
  prefix,
  onChange,
}: {
  draft: ScheduleDraft;
  faults: FieldErrors;
  prefix: string;
  onChange: (draft: ScheduleDraft) => void;
}) {
  const set = <K extends keyof ScheduleDraft>(name: K, value: ScheduleDraft[K]) =>
    onChange({ ...draft, [name]: value });
  const faultAt = (name: string) => faults.get(`${prefix}${name}`);
  const number = (
    name: "interval" | "maxRetries" | "backoff_s" | "priority",
    field: string,
    label: string,
    hint: string,
  ) => (
    <TextField
      label={label}
      hint={hint}
      inputMode="numeric"
      value={draft[name]}
      onChange={(event) => set(name, event.target.value)}
      error={Number.isNaN(readNumber(draft[name])) ? "A number, zero or more." : faultAt(field)}
    />
  );
  return (
    <div className="flex flex-col gap-4">
      <Check isChecked={draft.isRepeated} onChange={(value) => set("isRepeated", value)}>
        Again and again
      </Check>
      {draft.isRepeated && (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            {number("interval", "interval_minutes", "Every", "At most a year.")}
            <Field label="Unit" error={faultAt("interval_type")}>
              {(ids) => (
                <Select
                  label="Unit"
                  {...ids}
                  value={draft.intervalType}
                  options={UNITS}
                  onChange={(value) => set("intervalType", value as IntervalType)}
                />
              )}
            </Field>
          </div>
          <Check isChecked={draft.isAdaptive} onChange={(value) => set("isAdaptive", value)}>
            Less often while the start page stays the same
          </Check>
          <Check isChecked={draft.hasHours} onChange={(value) => set("hasHours", value)}>
            Only at certain hours
          </Check>
          {draft.hasHours && <HourFields draft={draft} faults={faults} prefix={prefix} onChange={onChange} />}
        </>
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        {number("priority", "priority", "Priority", "1 is the most wanted, 10 the least.")}
        {number("maxRetries", "max_retries", "Retries", "After a run that failed.")}
        {number(
          "backoff_s",
          "retry_backoff_seconds",
          "Pause before a retry",
          "Seconds; it doubles each time.",
        )}
      </div>
    </div>
  );
}

function HourFields({
  draft,
  faults,
  prefix,
  onChange,
}: {
  draft: ScheduleDraft;
  faults: FieldErrors;
  prefix: string;
  onChange: (draft: ScheduleDraft) => void;
}) {
  const hoursFault = faults.get(`${prefix}active_hours`);
  return (
    <div className="flex flex-col gap-4 border-l-2 border-line pl-4">
      <fieldset className="flex flex-wrap gap-x-4 gap-y-2">
        <legend className="mb-1 text-xs font-medium text-quiet">Days</legend>
        {DAYS.map((day) => (
          <Check
            key={day}
            isChecked={draft.days.includes(day)}
            onChange={(isOn) =>
              onChange({
                ...draft,
                days: isOn ? [...draft.days, day] : draft.days.filter((each) => each !== day),
              })
            }
          >
            {day}
          </Check>
        ))}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="From"
          hint="As 08:30."
          value={draft.from}
          onChange={(event) => onChange({ ...draft, from: event.target.value })}
          error={faults.get(`${prefix}active_hours.from`)}
        />
        <TextField
          label="Until"
          hint="Before “from”: on the next day."
          value={draft.until}
          onChange={(event) => onChange({ ...draft, until: event.target.value })}
          error={faults.get(`${prefix}active_hours.until`)}
        />
        <TextField
          label="Time zone"
          list="time-zones"
          value={draft.timezone}
          onChange={(event) => onChange({ ...draft, timezone: event.target.value })}
          error={faults.get(`${prefix}timezone`)}
        />
        <datalist id="time-zones">
          {ZONES.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      {hoursFault && <p className="text-bad text-xs">{reveal(hoursFault)}</p>}
    </div>
  );
}

export function Check({
  isChecked,
  onChange,
  children,
}: {
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  children: React.ReactNode;
}) {
  return (
    <label className="flex items-center gap-2">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.target.checked)} />
      <span>{children}</span>
    </label>
  );
}

export const SCHEDULE_FIELDS = [
  "interval_minutes",
  "interval_type",
  "timezone",
  "active_hours",
  "active_hours.from",
  "active_hours.until",
  "max_retries",
  "retry_backoff_seconds",
  "priority",
] as const;
