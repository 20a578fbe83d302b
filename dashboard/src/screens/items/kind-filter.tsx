import { useApi } from "../../api/queries";
import { reveal } from "../../format/text";
import { SelectFilter } from "../../lists/filters";

/** A choice among the kinds of items that there are. */
export function KindFilter({ value }: { value: string }) {
  const { data } = useApi("/api/v1/items/kinds");
  const names = data?.kinds.map((each) => each.kind) ?? [];
  const options = [...new Set([...names, ...(value ? [value] : [])])];
  return (
    <SelectFilter
      name="kind"
      label="Kind"
      value={value}
      options={options.map((name) => [name, reveal(name)] as const)}
      any="Any kind"
    />
  );
}
