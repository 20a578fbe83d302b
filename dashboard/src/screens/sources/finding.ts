/** How a source finds pages besides links, and which ones it leaves out: as chosen, and in words. Pure. */

import type { Schemas } from "../../api/client";

type Definition = Schemas["SourceDefinition"];
export type Similarity = Definition["similarity"];
/** "": the server's setting. */
export type SwitchChoice = "" | "on" | "off";
export type NearChoice = "" | "keep" | "drop" | "off";

export function readSwitch(value: boolean | null | undefined): SwitchChoice {
  return value == null ? "" : value ? "on" : "off";
}

export function chooseSwitch(choice: SwitchChoice): boolean | null {
  return choice === "" ? null : choice === "on";
}

/** What becomes of near-duplicates. */
export function readNear({ enabled, keep }: Similarity): NearChoice {
  if (enabled === false) return "off";
  if (typeof keep !== "boolean") return "";
  return keep ? "keep" : "drop";
}

/** How similar they must be stays as it is. */
export function chooseNear(similarity: Similarity, choice: NearChoice): Similarity {
  const enabled = choice === "off" ? false : choice === "" ? null : true;
  return { ...similarity, enabled, keep: choice === "keep" ? true : choice === "drop" ? false : null };
}

/** The switches that the source sets itself. */
export function describeSwitches(definition: Definition): { label: string; value: string }[] {
  const { sitemaps, archives, pagination, validation, traps } = definition;
  const switches: [label: string, value: boolean | null | undefined, on: string, off: string][] = [
    ["Sitemaps", sitemaps.enabled, "read", "not read"],
    ["Unlisted sitemaps", sitemaps.guess, "guessed", "not guessed"],
    ["Archives", archives.enabled, "guessed", "not guessed"],
    ["Pages of lists", pagination.enabled, "guessed", "not guessed"],
    ["Bot checks and the like", validation.enabled, "rejected", "stored as pages"],
    ["Soft 404s", validation.soft_404, "detected", "not detected"],
    ["Traps", traps.enabled, "avoided", "not avoided"],
  ];
  return switches.flatMap(([label, value, on, off]) =>
    value == null ? [] : [{ label, value: value ? on : off }],
  );
}
