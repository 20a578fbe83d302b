/** Filters are kept in the address, so that every view can be linked. */

export type Filters<K extends string> = { [P in K]?: string | undefined };

/** Reads the filters with these names from the address, as text. */
export function readFilters<K extends string>(...names: K[]) {
  return (raw: Record<string, unknown>): Filters<K> => {
    const found: Filters<K> = {};
    for (const name of names) {
      const value = raw[name];
      if (typeof value === "string" || typeof value === "number") {
        if (value !== "") found[name] = String(value);
      }
    }
    return found;
  };
}
