/** Keeps live numbers current: by the event stream while it works, otherwise by polling every five seconds. */

import type { QueryClient } from "@tanstack/react-query";
import { call, Problem } from "../api/client";
import { refresh } from "../api/queries";
import { judgeConnection, SILENCE_MS, type Signals } from "./connection";
import { progressOf } from "./progress";
import { useLive } from "./store";
import type { DomainMove, Progress } from "./types";

const TICK_MS = 500;
const POLL_MS = 5000;
const REOPEN_MS = 5000;
// A background tab needs no live numbers, and browsers limit connections per server.
const HIDDEN_MS = 15_000;
const REFRESH_MS = 2000;

export function follow(queries: QueryClient): () => void {
  const live = useLive.getState();
  const signals: Signals = { heardAt: null, brokenSince: Date.now(), isAnswered: null };
  let source: EventSource | null = null;
  let openedAt = 0;
  let polledAt = 0;
  let hiddenSince: number | null = null;
  let lastId = "";

  function open(): void {
    source?.close();
    openedAt = Date.now();
    const address = lastId
      ? `/sse/crawler/events?last_event_id=${encodeURIComponent(lastId)}`
      : "/sse/crawler/events";
    source = new EventSource(address);
    source.onerror = () => {
      signals.brokenSince ??= Date.now();
    };
    source.addEventListener("progress", (event) => live.setProgress(receive<Progress>(event)));
    source.addEventListener("run", (event) => {
      receive(event);
      refreshSoon(["runs", "doctor", "stats", "jobs", "executions", "sources"]);
    });
    source.addEventListener("domain", (event) => {
      live.addMove(receive<DomainMove>(event));
      refreshSoon(["domains"]);
    });
  }

  function receive<T>(event: MessageEvent<string>): T {
    signals.heardAt = Date.now();
    signals.brokenSince = null;
    lastId = event.lastEventId;
    return JSON.parse(event.data) as T;
  }

  const waiting = new Set<string>();
  let refreshing: ReturnType<typeof setTimeout> | null = null;

  /** Events come in bursts: reload once per burst. */
  function refreshSoon(nouns: string[]): void {
    for (const noun of nouns) waiting.add(noun);
    refreshing ??= setTimeout(() => {
      refreshing = null;
      for (const noun of waiting) refresh(queries, noun);
      waiting.clear();
    }, REFRESH_MS);
  }

  async function poll(): Promise<void> {
    polledAt = Date.now();
    try {
      const [stats, underWay] = await Promise.all([
        call("get", "/api/v1/stats"),
        call("get", "/api/v1/runs/under-way"),
      ]);
      const wasOffline = signals.isAnswered === false;
      signals.isAnswered = true;
      live.setProgress(progressOf(stats, underWay, useLive.getState().progress));
      if (wasOffline) open();
    } catch (error) {
      signals.isAnswered = error instanceof Problem && !error.isOffline;
    }
  }

  function tick(): void {
    const now = Date.now();
    if (document.hidden) {
      hiddenSince ??= now;
      if (source && now - hiddenSince > HIDDEN_MS) {
        source.close();
        source = null;
      }
      return;
    }
    if (hiddenSince !== null || source === null) {
      if (source === null) open();
      hiddenSince = null;
      signals.brokenSince ??= signals.heardAt !== null && now - signals.heardAt < SILENCE_MS ? null : now;
    }
    const isSilent = signals.heardAt !== null && now - signals.heardAt > SILENCE_MS;
    if (isSilent) signals.brokenSince ??= now;
    const isClosed = source?.readyState === EventSource.CLOSED;
    if ((isClosed || isSilent) && now - openedAt > REOPEN_MS) open();
    const connection = judgeConnection(signals, now);
    if (connection !== "live" && connection !== "connecting" && now - polledAt > POLL_MS) void poll();
    if (connection === "live") signals.isAnswered = null;
    live.setConnection(connection);
  }

  open();
  const ticking = setInterval(tick, TICK_MS);
  const wake = () => tick();
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("online", wake);
  return () => {
    clearInterval(ticking);
    if (refreshing) clearTimeout(refreshing);
    document.removeEventListener("visibilitychange", wake);
    window.removeEventListener("online", wake);
    source?.close();
  };
}
