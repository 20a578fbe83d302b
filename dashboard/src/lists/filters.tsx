import { type InputHTMLAttributes, useEffect, useState } from "react";
import { Select, type SelectProps } from "../ui/controls";
import { useFilter } from "./use-filter";

const WAIT_MS = 300;

/** A text filter, kept in the address under `name`. It applies when the user stops typing. */
export function TextFilter({
  name,
  label,
  value,
  className = "w-52",
  ...rest
}: { name: string; label: string; value: string; className?: string } & Omit<
  InputHTMLAttributes<HTMLInputElement>,
  "name" | "value" | "onChange"
>) {
  const [text, setText] = useState(value);
  const set = useFilter();
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const waiting = setTimeout(() => set(name)(text.trim()), WAIT_MS);
    return () => clearTimeout(waiting);
  }, [text, value, name, set]);
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

/** A filter with fixed options, kept in the address under `name`. */
export function SelectFilter({ name, ...rest }: { name: string } & Omit<SelectProps, "name" | "onChange">) {
  const set = useFilter();
  return <Select {...rest} onChange={set(name)} />;
}
