import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from "@tanstack/react-router";
import { readFilters } from "./lists/address-filters";
import { AppShell } from "./shell/app-shell";
import { Loading, NotFound } from "./shell/not-found";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });
const app = createRoute({ getParentRoute: () => root, id: "app", component: AppShell });
const screen = <P extends string>(path: P) => ({ getParentRoute: () => app, path });

const routes = [
  createRoute({
    ...screen("/"),
    validateSearch: readFilters("range"),
    component: lazyRouteComponent(() => import("./screens/overview/overview"), "Overview"),
  }),
  createRoute({
    ...screen("/crawl"),
    component: lazyRouteComponent(() => import("./screens/crawls/start-crawl"), "StartCrawl"),
  }),
  createRoute({
    ...screen("/sources"),
    validateSearch: readFilters("enabled", "q", "sort"),
    component: lazyRouteComponent(() => import("./screens/sources/sources"), "Sources"),
  }),
  createRoute({
    ...screen("/sources/new"),
    component: lazyRouteComponent(() => import("./screens/sources/source-form"), "NewSource"),
  }),
  createRoute({
    ...screen("/sources/yaml"),
    component: lazyRouteComponent(() => import("./screens/sources/sources-yaml"), "SourcesYaml"),
  }),
  createRoute({
    ...screen("/sources/$id"),
    validateSearch: readFilters("tab"),
    component: lazyRouteComponent(() => import("./screens/sources/source"), "SourceScreen"),
  }),
  createRoute({
    ...screen("/jobs"),
    validateSearch: readFilters("status", "source", "sort"),
    component: lazyRouteComponent(() => import("./screens/jobs/jobs"), "Jobs"),
  }),
  createRoute({
    ...screen("/jobs/new"),
    validateSearch: readFilters("source"),
    component: lazyRouteComponent(() => import("./screens/jobs/job-form"), "NewJob"),
  }),
  createRoute({
    ...screen("/jobs/$id"),
    validateSearch: readFilters("tab"),
    component: lazyRouteComponent(() => import("./screens/jobs/job"), "JobScreen"),
  }),
  createRoute({
    ...screen("/executions/$id"),
    component: lazyRouteComponent(() => import("./screens/jobs/execution"), "ExecutionScreen"),
  }),
  createRoute({
    ...screen("/scheduler"),
    component: lazyRouteComponent(() => import("./screens/scheduler/scheduler"), "Scheduler"),
  }),
  createRoute({
    ...screen("/feeds"),
    validateSearch: readFilters("source", "state", "sort"),
    component: lazyRouteComponent(() => import("./screens/feeds/feeds"), "Feeds"),
  }),
  createRoute({
    ...screen("/tasks"),
    validateSearch: readFilters("state", "run", "tab"),
    component: lazyRouteComponent(() => import("./screens/tasks/tasks"), "Tasks"),
  }),
  createRoute({
    ...screen("/webhooks"),
    component: lazyRouteComponent(() => import("./screens/webhooks/webhooks"), "Webhooks"),
  }),
  createRoute({
    ...screen("/webhooks/$id"),
    validateSearch: readFilters("state"),
    component: lazyRouteComponent(() => import("./screens/webhooks/deliveries"), "Deliveries"),
  }),
  createRoute({
    ...screen("/runs"),
    validateSearch: readFilters("state", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/runs/runs"), "Runs"),
  }),
  createRoute({
    ...screen("/runs/$id"),
    validateSearch: readFilters("tab"),
    component: lazyRouteComponent(() => import("./screens/runs/run"), "RunScreen"),
  }),
  createRoute({
    ...screen("/frontier"),
    validateSearch: readFilters("domain", "priority", "fate", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/frontier/frontier"), "Frontier"),
  }),
  createRoute({
    ...screen("/explain"),
    validateSearch: readFilters("url"),
    component: lazyRouteComponent(() => import("./screens/urls/explain"), "Explain"),
  }),
  createRoute({
    ...screen("/domains"),
    validateSearch: readFilters("status", "site", "q", "sort", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/domains/domains"), "Domains"),
  }),
  createRoute({
    ...screen("/domains/$name"),
    validateSearch: readFilters("tab", "path"),
    component: lazyRouteComponent(() => import("./screens/domains/domain"), "DomainScreen"),
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
    component: lazyRouteComponent(() => import("./screens/pages/pages"), "Pages"),
  }),
  createRoute({
    ...screen("/pages/$id"),
    validateSearch: readFilters("tab", "among"),
    component: lazyRouteComponent(() => import("./screens/pages/page"), "PageScreen"),
  }),
  createRoute({
    ...screen("/urls"),
    validateSearch: readFilters("domain", "fate", "reason", "q", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/urls/urls"), "Urls"),
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
    component: lazyRouteComponent(() => import("./screens/urls/visits"), "Visits"),
  }),
  createRoute({
    ...screen("/changes"),
    validateSearch: readFilters("kind", "domain", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/pages/changes"), "Changes"),
  }),
  createRoute({
    ...screen("/duplicates"),
    validateSearch: readFilters("kind", "domain", "source"),
    component: lazyRouteComponent(() => import("./screens/pages/duplicates"), "Duplicates"),
  }),
  createRoute({
    ...screen("/items"),
    validateSearch: readFilters(
      "tab",
      "kind",
      "domain",
      "q",
      "where",
      "state",
      "parser",
      "run",
      "source",
      "since",
      "until",
    ),
    component: lazyRouteComponent(() => import("./screens/items/items"), "Items"),
  }),
  createRoute({
    ...screen("/items/$id"),
    validateSearch: readFilters("tab"),
    component: lazyRouteComponent(() => import("./screens/items/item"), "ItemScreen"),
  }),
  createRoute({
    ...screen("/articles"),
    validateSearch: readFilters("q", "domain", "state", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/articles/articles"), "Articles"),
  }),
  createRoute({
    ...screen("/articles/$id"),
    component: lazyRouteComponent(() => import("./screens/articles/article"), "ArticleScreen"),
  }),
  createRoute({
    ...screen("/products"),
    validateSearch: readFilters(
      "tab",
      "q",
      "brand",
      "category",
      "domain",
      "currency",
      "price_min",
      "price_max",
      "availability",
      "state",
      "sort",
      "source",
      "since",
      "until",
    ),
    component: lazyRouteComponent(() => import("./screens/products/products"), "Products"),
  }),
  createRoute({
    ...screen("/products/$id"),
    component: lazyRouteComponent(() => import("./screens/products/product"), "ProductScreen"),
  }),
  createRoute({
    ...screen("/parsers"),
    component: lazyRouteComponent(() => import("./screens/parsers/parsers"), "Parsers"),
  }),
  createRoute({
    ...screen("/parsers/$name"),
    component: lazyRouteComponent(() => import("./screens/parsers/parser"), "ParserScreen"),
  }),
  createRoute({
    ...screen("/quality"),
    validateSearch: readFilters("source", "domain", "kind", "days"),
    component: lazyRouteComponent(() => import("./screens/items/audit"), "ItemAudit"),
  }),
  createRoute({
    ...screen("/errors"),
    validateSearch: readFilters(
      "tab",
      "category",
      "parser",
      "domain",
      "fingerprint",
      "sort",
      "run",
      "source",
      "since",
      "until",
    ),
    component: lazyRouteComponent(() => import("./screens/errors/errors"), "Errors"),
  }),
  createRoute({
    ...screen("/errors/$id"),
    component: lazyRouteComponent(() => import("./screens/errors/error"), "ErrorScreen"),
  }),
  createRoute({
    ...screen("/workers"),
    validateSearch: readFilters("all"),
    component: lazyRouteComponent(() => import("./screens/workers/workers"), "Workers"),
  }),
  createRoute({
    ...screen("/exports"),
    validateSearch: readFilters("domain", "fate", "kind", "run", "source", "since", "until"),
    component: lazyRouteComponent(() => import("./screens/exports/exports"), "Exports"),
  }),
  createRoute({
    ...screen("/discovered"),
    validateSearch: readFilters("q", "sort"),
    component: lazyRouteComponent(() => import("./screens/domains/out-of-scope"), "OutOfScope"),
  }),
  createRoute({
    ...screen("/settings"),
    component: lazyRouteComponent(() => import("./screens/settings/settings"), "Settings"),
  }),
  createRoute({
    ...screen("/account"),
    component: lazyRouteComponent(() => import("./screens/accounts/account"), "Account"),
  }),
  createRoute({
    ...screen("/users"),
    component: lazyRouteComponent(() => import("./screens/accounts/users"), "Users"),
  }),
  createRoute({
    ...screen("/audit"),
    validateSearch: readFilters("actor", "action", "outcome"),
    component: lazyRouteComponent(() => import("./screens/accounts/audit"), "Audit"),
  }),
];

const publicRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: readFilters("next"),
    component: lazyRouteComponent(() => import("./screens/accounts/login"), "Login"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/setup",
    component: lazyRouteComponent(() => import("./screens/accounts/setup"), "Setup"),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren([app.addChildren(routes), ...publicRoutes]),
  defaultPreload: "intent",
  defaultPendingComponent: Loading,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  scrollToTopSelectors: ["#content"],
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
