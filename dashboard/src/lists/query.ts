/** Turns the filters in the address into query parameters of the API. Pure. */

/** The filters among `names` that are set. */
export function pickFilters<K extends string>(
  search: { readonly [P in K]?: string | undefined },
  ...names: K[]
): { [P in K]?: string } {
  const found: { [P in K]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (value) found[name] = value;
  }
  return found;
}

/** A numeric filter. Text that is not a positive integer, such as a half-typed one, is ignored. */
export function pickNumber(name: string, text: string | undefined): Record<string, number> {
  return text && /^[1-9]\d{0,8}$/.test(text) ? { [name]: Number(text) } : {};
}

/** Whether a query hides rows. Sorting does not. */
export function hasFilters(query: object): boolean {
  return Object.keys(query).some((name) => name !== "sort");
}

/** Props of a table that several screens show, each with its own query. */
export interface ListTableProps<Query> {
  query: Query;
  isFiltered?: boolean;
  sort?: string;
  onSort?: (sort: string) => void;
}
