import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import { Select, type SelectProps } from "../ui/controls";
import { readNumber } from "./parse";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
}

interface Ids {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

/** A label, a control, and a hint or an error. */
export function Field({ label, hint, error, children }: FieldProps & { children: (ids: Ids) => ReactNode }) {
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

type TextFieldProps = FieldProps & {
  value: string;
  onChange: (value: string) => void;
} & Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange">;

export function TextField({ label, hint, error, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          onChange={(event) => onChange(event.target.value)}
          className="field w-full"
        />
      )}
    </Field>
  );
}

/** A number that is not negative, or nothing. Text that is not a number stays, so that the user can correct it. */
export function NumberField({ error, ...rest }: TextFieldProps) {
  return (
    <TextField
      inputMode="decimal"
      {...rest}
      error={Number.isNaN(readNumber(rest.value)) ? "Enter a number, zero or more." : error}
    />
  );
}

/** A text area for several values, one per line. */
export function LinesField({
  label,
  hint,
  error,
  value,
  onChange,
  rows = 3,
  placeholder,
}: FieldProps & {
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  placeholder?: string;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          rows={rows}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          placeholder={placeholder}
          spellCheck={false}
          className="field w-full font-mono text-[0.92em]"
        />
      )}
    </Field>
  );
}

export function SelectField({ label, hint, error, ...rest }: FieldProps & SelectProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <Select label={label} {...ids} {...rest} />}
    </Field>
  );
}

export function Checkbox({
  isChecked,
  onChange,
  className = "flex",
  children,
}: {
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <label className={`${className} items-center gap-2`}>
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.target.checked)} />
      <span>{children}</span>
    </label>
  );
}

/** Adds or removes one value. */
export function toggle<T>(values: readonly T[], value: T, isOn: boolean): T[] {
  return isOn ? [...values, value] : values.filter((each) => each !== value);
}
