import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  useEffect,
  useId,
  useState,
} from "react";

export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  children: (ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => ReactNode;
}) {
  const id = useId();
  const notes = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium text-quiet">
        {label}
      </label>
      {children({
        id,
        ...(notes ? { "aria-describedby": notes } : {}),
        ...(error ? { "aria-invalid": true } : {}),
      })}
      {error ? (
        <p id={`${id}-error`} className="text-bad text-xs">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="text-faint text-xs">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <input {...ids} {...rest} className="field w-full" />}
    </Field>
  );
}

const WAIT_MS = 300;

/** A filter that is typed: told when the typing rests. */
export function TextFilter({
  label,
  value,
  onChange,
  className = "w-52",
  ...rest
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
} & Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange">) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const waiting = setTimeout(() => onChange(text.trim()), WAIT_MS);
    return () => clearTimeout(waiting);
  }, [text, value, onChange]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      className={`field ${className}`}
      {...rest}
    />
  );
}

export function Select({
  label,
  value,
  options,
  onChange,
  any,
  ...rest
}: {
  label: string;
  value: string;
  options: readonly (string | readonly [value: string, text: string])[];
  onChange: (value: string) => void;
  any?: string;
} & Omit<SelectHTMLAttributes<HTMLSelectElement>, "value" | "onChange">) {
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

/** A few words of which one holds. */
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
