import { type QueryClient, useQuery } from "@tanstack/react-query";
import { type Answer, call, type Problem, setCsrfToken, setStale } from "./client";

export type Session = Answer<"/api/v1/auth/session">;

const KEY = ["auth"];
const RETRY_MS = 3000;

export function useSession() {
  return useQuery<Session, Problem>({
    queryKey: KEY,
    queryFn: async () => remember(await call("get", "/api/v1/auth/session")),
    staleTime: 300_000,
    retry: false,
    refetchInterval: (query) => (query.state.error ? RETRY_MS : false),
  });
}

/** The user. Inside the app shell there always is one. */
export function useRole(): { name: string; isAdmin: boolean } {
  const { data } = useSession();
  return { name: data?.name ?? "", isAdmin: data?.role === "admin" };
}

export function watchSession(queries: QueryClient): void {
  setStale(() => void queries.invalidateQueries({ queryKey: KEY }));
}

/** Drops all cached data, because another user may see other things. */
export function startSession(queries: QueryClient, session: Session): void {
  queries.clear();
  queries.setQueryData(KEY, remember(session));
}

export async function endSession(queries: QueryClient): Promise<void> {
  await call("post", "/api/v1/auth/logout");
  queries.clear();
  await queries.invalidateQueries({ queryKey: KEY });
}

function remember(session: Session): Session {
  setCsrfToken(session.csrf_token);
  return session;
}
