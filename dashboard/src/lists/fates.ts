import type { Schemas } from "../api/client";

/** The fates of URLs that do not wait to be visited. */
export const SETTLED_FATES = [
  "fetched",
  "read",
  "duplicate",
  "redirected",
  "skipped",
  "gone",
  "rejected",
  "refused",
  "dead",
  "quarantined",
  "trapped",
] as const satisfies readonly Schemas["Fate"][];

export const FATES = ["queued", "retrying", ...SETTLED_FATES] as const satisfies readonly Schemas["Fate"][];
