/** The events of the stream `/sse/crawler/events`, which are not in the OpenAPI document. */

import type { Schemas } from "../api/client";

export type ActiveRun = Schemas["ActiveRun"];

export interface Progress {
  at: string;
  runs: readonly ActiveRun[]; // newest first
  runs_count: number; // may be more than `runs` has
  workers: number;
  pages_per_min: number;
  urls: number;
  pages: number;
  queued: number;
  domains: number;
  domains_queued: number;
  domains_resting: number;
}

export interface DomainMove {
  at: string;
  domain: string;
  from_status: Schemas["DomainStatus"];
  to_status: Schemas["DomainStatus"];
  cause: string;
  detail: string;
}
