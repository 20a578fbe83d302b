import type { SelectHTMLAttributes } from "react";

export type SelectProps = {
  label: string;
  value: string;
  options: readonly (string | readonly [value: string, text: string])[];
  onChange: (value: string) => void;
  /** The text of the empty option; without it there is no empty option. */
  any?: string | undefined;
} & Omit<SelectHTMLAttributes<HTMLSelectElement>, "value" | "onChange">;

export function Select({ label, value, options, onChange, any, ...rest }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="field pr-7"
      {...rest}
    >
      {any !== undefined && <option value="">{any}</option>}
      {options.map((option) => {
        const [key, text] = typeof option === "string" ? [option, option] : option;
        return (
          <option key={key} value={key}>
            {text}
          </option>
        );
      })}
    </select>
  );
}

/** A choice of one among a few visible options. */
export function SegmentedControl<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="inline-flex rounded-[8px] border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(([key, text]) => (
        <button
          key={key}
          type="button"
          aria-pressed={key === value}
          onClick={() => onChange(key)}
          className={`h-7 rounded-[6px] px-2.5 text-xs font-medium ${key === value ? "bg-panel text-ink shadow-sm" : "text-quiet hover:text-ink"}`}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
