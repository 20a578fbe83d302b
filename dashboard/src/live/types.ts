/** What the stream `/sse/crawler/events` tells; its events are not part of the OpenAPI document. */

import type { Schemas } from "../api/client";

export interface RunProgress {
  id: number;
  state: string;
  started_at: string;
  ended_at: string | null;
  pages: number;
  requests: number;
  wire_bytes: number;
}

export interface Progress {
  at: string;
  run: RunProgress | null;
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
