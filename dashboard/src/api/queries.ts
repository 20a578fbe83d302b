/**
 * Queries of the API as React hooks.
 *
 * A query key starts with the noun, so that events can refresh all queries of a noun.
 */

import {
  keepPreviousData,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { useMemo } from "react";
import { type Answer, call, type PathsOf, Problem, type Query } from "./client";
import type { paths } from "./schema";

const RETRIES = 3;
const PART = 100;
// A user who scrolls wants more: load larger parts.
const LARGE_PART = 500;

export function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2000,
        retry: (count, error) => count < RETRIES && isWorthAnotherTry(error),
        retryDelay: (count, error) =>
          error instanceof Problem && error.retryAfter_s ? error.retryAfter_s * 1000 : 500 * 2 ** count,
        refetchOnWindowFocus: true,
      },
    },
  });
}

function isWorthAnotherTry(error: unknown): boolean {
  return !(error instanceof Problem) || error.isOffline || error.status === 429 || error.status >= 502;
}

type GetPath = PathsOf<"get">;
type PathPart<P extends keyof paths> = paths[P] extends { get: { parameters: { path: infer A } } }
  ? A
  : undefined;

interface RequestOptions<P extends GetPath> {
  path?: PathPart<P>;
  query?: Query<P>;
  every_ms?: number | false;
  isEnabled?: boolean;
}

export function nounOf(path: string): string {
  return path.split("/")[3] ?? path;
}

export function useApi<P extends GetPath>(
  path: P,
  options: RequestOptions<P> = {},
): UseQueryResult<Answer<P>> {
  return useQuery({
    queryKey: [nounOf(path), path, options.path ?? null, options.query ?? null],
    queryFn: ({ signal }) =>
      call("get", path, { path: options.path, query: options.query, signal } as never) as Promise<Answer<P>>,
    refetchInterval: options.every_ms ?? false,
    enabled: options.isEnabled ?? true,
    placeholderData: keepPreviousData,
  });
}

/** Whether reloading takes one request: a list has one request per loaded part. */
function isShort(data: unknown): boolean {
  const parts = (data as { pages?: readonly unknown[] } | undefined)?.pages;
  return parts === undefined || parts.length <= 1;
}

/** Reloads the queries of a noun after an event, except for lists of many parts. */
export function refresh(queries: QueryClient, noun: string): void {
  void queries.invalidateQueries({ queryKey: [noun], predicate: (query) => isShort(query.state.data) });
}

/** Reloads all queries of these nouns, including long lists. */
export function invalidate(queries: QueryClient, nouns: readonly string[]): Promise<unknown> {
  return Promise.all(nouns.map((noun) => queries.invalidateQueries({ queryKey: [noun] })));
}

interface PartOf<Row> {
  readonly items: readonly Row[];
  readonly next: string | null;
}
type RowOf<P extends GetPath> = Answer<P> extends PartOf<infer Row> ? Row : never;

export interface List<Row> {
  rows: readonly Row[];
  isLoading: boolean;
  isLoadingMore: boolean;
  hasMore: boolean;
  error: unknown;
  loadMore: () => void;
  reload: () => void;
}

/** The responses that a list was loaded from, for what they say besides rows. */
interface Parts<P extends GetPath> {
  parts: readonly Answer<P>[];
}

/**
 * A list that loads more as the user scrolls.
 *
 * Only a list of one part is refreshed: rows must not move while the user reads on.
 */
export function useList<P extends GetPath>(
  path: P,
  options: RequestOptions<P> = {},
): List<RowOf<P>> & Parts<P> {
  const found: UseInfiniteQueryResult<{ pages: PartOf<RowOf<P>>[] }> = useInfiniteQuery({
    queryKey: [nounOf(path), path, options.path ?? null, options.query ?? null, "list"],
    queryFn: ({ pageParam, signal }) =>
      call("get", path, {
        path: options.path,
        query: {
          ...options.query,
          ...(pageParam ? { limit: LARGE_PART, cursor: pageParam } : { limit: PART }),
        },
        signal,
      } as never) as unknown as Promise<PartOf<RowOf<P>>>,
    initialPageParam: null as string | null,
    getNextPageParam: (last: PartOf<RowOf<P>>) => last.next,
    refetchInterval: (query) => (options.every_ms && isShort(query.state.data) ? options.every_ms : false),
    refetchOnWindowFocus: false,
    refetchOnMount: (query) => isShort(query.state.data),
    // Comparing all rows would take longer than rendering the visible ones.
    structuralSharing: false,
    staleTime: 5000,
    enabled: options.isEnabled ?? true,
    placeholderData: keepPreviousData,
  });
  const isLoadingMore = found.isFetchingNextPage;
  const rows = useMemo(() => found.data?.pages.flatMap((part) => part.items) ?? [], [found.data]);
  return {
    rows,
    parts: (found.data?.pages ?? []) as unknown as readonly Answer<P>[],
    isLoading: found.isPending && (options.isEnabled ?? true),
    isLoadingMore,
    hasMore: found.hasNextPage,
    error: found.error,
    loadMore: () => {
      if (!isLoadingMore && !found.isFetchNextPageError) void found.fetchNextPage();
    },
    reload: () => void found.refetch(),
  };
}
