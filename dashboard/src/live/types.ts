/** What the stream `/sse/crawler/events` tells; its events are not part of the OpenAPI document. */

import type { Schemas } from "../api/client";

export type RunUnderWay = Schemas["ActiveRun"];

export interface Progress {
  at: string;
  runs: readonly RunUnderWay[]; // side by side, the newest first
  runs_count: number; // of very many, not all are told
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
