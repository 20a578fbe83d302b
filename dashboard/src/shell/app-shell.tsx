import { useQueryClient } from "@tanstack/react-query";
import { Navigate, Outlet, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSession } from "../api/session";
import { follow } from "../live/stream";
import { LoadError } from "../ui/basics";
import { BottomNav, SideNav } from "./nav";
import { TopBar } from "./top-bar";

/** The frame of all screens that need a login. */
export function AppShell() {
  const { data: session, error } = useSession();
  if (!session) {
    return (
      <main className="grid min-h-dvh place-items-center">
        {error ? <LoadError error={error} /> : <span className="sr-only">Loading</span>}
      </main>
    );
  }
  if (session.needs_setup) return <Navigate to="/setup" />;
  if (session.role === "anonymous") return <RedirectToLogin />;
  return <Shell />;
}

/** Navigates once, in an effect: while it navigates, the current address is already that of the login page. */
function RedirectToLogin() {
  const router = useRouter();
  useEffect(() => {
    const next = router.state.location.href;
    void router.navigate({ to: "/login", search: { next }, replace: true });
  }, [router]);
  return null;
}

function Shell() {
  const queries = useQueryClient();
  useEffect(() => follow(queries), [queries]);
  return (
    <div className="flex min-h-dvh lg:h-dvh print:block! print:h-auto!">
      <a
        href="#content"
        className="panel sr-only z-50 px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <SideNav />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar />
        <main
          id="content"
          tabIndex={0}
          className="flex min-h-0 flex-1 flex-col gap-4 *:shrink-0 px-4 pt-5 pb-24 outline-none lg:overflow-y-auto lg:px-7 lg:pb-6 print:overflow-visible! print:p-0!"
        >
          <Outlet />
        </main>
      </div>
      <BottomNav />
    </div>
  );
}
