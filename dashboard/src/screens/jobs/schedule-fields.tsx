import { reveal } from "../../format/text";
import type { FieldErrors } from "../../forms/field-errors";
import { Checkbox, NumberField, SelectField, TextField, toggle } from "../../forms/fields";
import { DAYS, type IntervalType, type ScheduleDraft } from "./schedule-draft";

const UNITS: readonly IntervalType[] = ["minutes", "hours", "days"];
// From the browser: a short list that needs no request.
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((each) => each !== "UTC")];

/** `prefix`: what the API puts before the field names in its errors. */
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
    <NumberField
      label={label}
      hint={hint}
      inputMode="numeric"
      value={draft[name]}
      onChange={(value) => set(name, value)}
      error={faultAt(field)}
    />
  );
  return (
    <div className="flex flex-col gap-4">
      <Checkbox isChecked={draft.isRepeated} onChange={(value) => set("isRepeated", value)}>
        Repeat
      </Checkbox>
      {draft.isRepeated && (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            {number("interval", "interval_minutes", "Every", "At most a year.")}
            <SelectField
              label="Unit"
              error={faultAt("interval_type")}
              value={draft.intervalType}
              options={UNITS}
              onChange={(value) => set("intervalType", value as IntervalType)}
            />
          </div>
          <Checkbox isChecked={draft.isAdaptive} onChange={(value) => set("isAdaptive", value)}>
            Run less often while the start page is unchanged
          </Checkbox>
          <Checkbox isChecked={draft.hasHours} onChange={(value) => set("hasHours", value)}>
            Only during certain hours
          </Checkbox>
          {draft.hasHours && <HourFields draft={draft} faults={faults} prefix={prefix} onChange={onChange} />}
        </>
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        {number("priority", "priority", "Priority", "1 is the highest, 10 the lowest.")}
        {number("maxRetries", "max_retries", "Retries", "After a failed run.")}
        {number("backoff_s", "retry_backoff_seconds", "Retry backoff", "Seconds. Doubles with each retry.")}
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
          <Checkbox
            key={day}
            isChecked={draft.days.includes(day)}
            onChange={(isOn) => onChange({ ...draft, days: toggle(draft.days, day, isOn) })}
          >
            {day}
          </Checkbox>
        ))}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="From"
          hint="For example, 08:30."
          value={draft.from}
          onChange={(from) => onChange({ ...draft, from })}
          error={faults.get(`${prefix}active_hours.from`)}
        />
        <TextField
          label="Until"
          hint="If earlier than “From”: on the next day."
          value={draft.until}
          onChange={(until) => onChange({ ...draft, until })}
          error={faults.get(`${prefix}active_hours.until`)}
        />
        <TextField
          label="Time zone"
          list="time-zones"
          value={draft.timezone}
          onChange={(timezone) => onChange({ ...draft, timezone })}
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
