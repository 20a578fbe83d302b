/** From the filters of an address to the parameters of the API. Pure. */

/** The filters that are set, by name. */
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

/** The id of a source, or a status: only what is a whole number is asked for. */
export function pickNumber(name: string, text: string | undefined): Record<string, number> {
  return text && /^[1-9]\d{0,8}$/.test(text) ? { [name]: Number(text) } : {};
}

/** Whether a list shows less than there is: an order alone hides nothing. */
export function hasFilters(query: object): boolean {
  return Object.keys(query).some((name) => name !== "sort");
}

/** Of a table that several screens show, each with its own query. */
export interface ListTableProps<Query> {
  query: Query;
  isFiltered?: boolean;
  sort?: string;
  onSort?: (sort: string) => void;
}
