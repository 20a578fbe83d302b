import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from "@tanstack/react-router";
import { readFilters } from "./search";
import { Inside } from "./shell/inside";
import { Lost, Wait } from "./shell/lost";

const root = createRootRoute({ component: Outlet, notFoundComponent: Lost });
const inside = createRoute({ getParentRoute: () => root, id: "inside", component: Inside });
const screen = <P extends string>(path: P) => ({ getParentRoute: () => inside, path });

const routes = [
  createRoute({
    ...screen("/"),
    validateSearch: readFilters("range"),
    component: lazyRouteComponent(() => import("./screens/overview"), "Overview"),
  }),
  createRoute({
    ...screen("/crawl"),
    component: lazyRouteComponent(() => import("./screens/crawl"), "Crawl"),
  }),
  createRoute({
    ...screen("/sources"),
    validateSearch: readFilters("enabled", "q", "sort"),
    component: lazyRouteComponent(() => import("./screens/sources"), "Sources"),
  }),
  createRoute({
    ...screen("/sources/new"),
    component: lazyRouteComponent(() => import("./screens/source-form"), "NewSource"),
  }),
  createRoute({
    ...screen("/sources/yaml"),
    component: lazyRouteComponent(() => import("./screens/sources-file"), "SourcesFile"),
  }),
  createRoute({
    ...screen("/sources/$id"),
    validateSearch: readFilters("tab"),
    component: lazyRouteComponent(() => import("./screens/source"), "SourceScreen"),
  }),
  createRoute({
    ...screen("/jobs"),
    validateSearch: readFilters("status", "source", "sort"),
    component: lazyRouteComponent(() => import("./screens/jobs"), "Jobs"),
  }),
  createRoute({
    ...screen("/jobs/new"),
    validateSearch: readFilters("source"),
    component: lazyRouteComponent(() => import("./screens/job-form"), "NewJob"),
  }),
  createRoute({
    ...screen("/jobs/$id"),
    validateSearch: readFilters("tab"),
    component: lazyRouteComponent(() => import("./screens/job"), "JobScreen"),
  }),
  createRoute({
    ...screen("/executions/$id"),
    component: lazyRouteComponent(() => import("./screens/execution"), "ExecutionScreen"),
  }),
  createRoute({
    ...screen("/scheduler"),
    component: lazyRouteComponent(() => import("./screens/scheduler"), "Scheduler"),
  }),
  createRoute({
    ...screen("/feeds"),
    validateSearch: readFilters("source", "state", "sort"),
    component: lazyRouteComponent(() => import("./screens/feeds"), "Feeds"),
  }),
  createRoute({
    ...screen("/tasks"),
    validateSearch: readFilters("state", "run", "tab"),
    component: lazyRouteComponent(() => import("./screens/tasks"), "Tasks"),
  }),
  createRoute({
    ...screen("/webhooks"),
    component: lazyRouteComponent(() => import("./screens/webhooks"), "Webhooks"),
  }),
  createRoute({
    ...screen("/webhooks/$id"),
    validateSearch: readFilters("state"),
    component: lazyRouteComponent(() => import("./screens/deliveries"), "Deliveries"),
  }),
  createRoute({
    ...screen("/runs"),
    validateSearch: readFilters("state", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/runs"), "Runs"),
  }),
  createRoute({
    ...screen("/runs/$id"),
    validateSearch: readFilters("tab"),
    component: lazyRouteComponent(() => import("./screens/run"), "RunScreen"),
  }),
  createRoute({
    ...screen("/frontier"),
    validateSearch: readFilters("domain", "priority", "fate", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/frontier"), "Frontier"),
  }),
  createRoute({
    ...screen("/explain"),
    validateSearch: readFilters("url"),
    component: lazyRouteComponent(() => import("./screens/explain"), "Explain"),
  }),
  createRoute({
    ...screen("/domains"),
    validateSearch: readFilters("status", "site", "q", "sort", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/domains"), "Domains"),
  }),
  createRoute({
    ...screen("/domains/$name"),
    validateSearch: readFilters("tab", "path"),
    component: lazyRouteComponent(() => import("./screens/domain"), "DomainScreen"),
  }),
  createRoute({
    ...screen("/pages"),
    validateSearch: readFilters(
      "domain",
      "status",
      "type",
      "language",
      "q",
      "sort",
      "fate",
      "run",
      "source",
      "since",
      "until",
    ),
    component: lazyRouteComponent(() => import("./screens/pages"), "Pages"),
  }),
  createRoute({
    ...screen("/pages/$id"),
    validateSearch: readFilters("tab", "among"),
    component: lazyRouteComponent(() => import("./screens/page"), "PageScreen"),
  }),
  createRoute({
    ...screen("/urls"),
    validateSearch: readFilters("domain", "fate", "reason", "q", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/urls"), "Urls"),
  }),
  createRoute({
    ...screen("/visits"),
    validateSearch: readFilters(
      "domain",
      "outcome",
      "status",
      "error_kind",
      "run",
      "source",
      "since",
      "until",
    ),
    component: lazyRouteComponent(() => import("./screens/visits"), "Visits"),
  }),
  createRoute({
    ...screen("/changes"),
    validateSearch: readFilters("kind", "domain", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/changes"), "Changes"),
  }),
  createRoute({
    ...screen("/workers"),
    validateSearch: readFilters("all"),
    component: lazyRouteComponent(() => import("./screens/workers"), "Workers"),
  }),
  createRoute({
    ...screen("/exports"),
    validateSearch: readFilters("domain", "fate", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/exports"), "Exports"),
  }),
  createRoute({
    ...screen("/discovered"),
    validateSearch: readFilters("q", "sort"),
    component: lazyRouteComponent(() => import("./screens/discovered"), "Discovered"),
  }),
  createRoute({
    ...screen("/settings"),
    component: lazyRouteComponent(() => import("./screens/settings"), "Settings"),
  }),
  createRoute({
    ...screen("/account"),
    component: lazyRouteComponent(() => import("./screens/account"), "Account"),
  }),
  createRoute({
    ...screen("/users"),
    component: lazyRouteComponent(() => import("./screens/users"), "Users"),
  }),
  createRoute({
    ...screen("/audit"),
    validateSearch: readFilters("actor", "action", "outcome"),
    component: lazyRouteComponent(() => import("./screens/audit"), "Audit"),
  }),
];

const outside = [
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: readFilters("next"),
    component: lazyRouteComponent(() => import("./screens/login"), "Login"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/setup",
    component: lazyRouteComponent(() => import("./screens/setup"), "Setup"),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren([inside.addChildren(routes), ...outside]),
  defaultPreload: "intent",
  defaultPendingComponent: Wait,
  defaultNotFoundComponent: Lost,
  scrollRestoration: true,
  scrollToTopSelectors: ["#content"],
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
