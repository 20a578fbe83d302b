import { SelectField } from "../../forms/fields";
import { SelectFilter } from "../../lists/filters";
import type { SelectProps } from "../../ui/controls";
import { type SourceNames, useSourceNames } from "./source-links";

function listOptions(names: SourceNames): SelectProps["options"] {
  return [...names].map(([id, name]) => [String(id), name] as const);
}

/** A filter by source. */
export function SourceIdFilter({ value }: { value: string }) {
  const names = useSourceNames();
  return (
    <SelectFilter
      name="source"
      label="Source"
      value={value}
      options={listOptions(names)}
      any="Any source"
      className="field max-w-44 pr-7"
    />
  );
}

/** A field for a source, by its id. */
export function SourceField(props: Omit<SelectProps, "options"> & { error?: string | null | undefined }) {
  const names = useSourceNames();
  return <SelectField {...props} options={listOptions(names)} />;
}
