import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useRole } from "../api/session";
import { CrawlRate } from "./crawl-rate";
import { Icon, type IconName, Mark } from "./icons";

interface NavItem {
  to:
    | "/"
    | "/sources"
    | "/jobs"
    | "/scheduler"
    | "/feeds"
    | "/tasks"
    | "/webhooks"
    | "/runs"
    | "/frontier"
    | "/domains"
    | "/pages"
    | "/urls"
    | "/changes"
    | "/duplicates"
    | "/items"
    | "/products"
    | "/articles"
    | "/errors"
    | "/parsers"
    | "/quality"
    | "/visits"
    | "/workers"
    | "/exports"
    | "/discovered"
    | "/settings"
    | "/users"
    | "/audit";
  title: string;
  icon: IconName;
  isForAdmins?: boolean;
}

const GROUPS: readonly { title: string; items: readonly NavItem[] }[] = [
  {
    title: "Crawl",
    items: [
      { to: "/", title: "Overview", icon: "overview" },
      { to: "/runs", title: "Runs", icon: "runs" },
      { to: "/frontier", title: "Frontier", icon: "frontier" },
      { to: "/domains", title: "Domains", icon: "domains" },
      { to: "/workers", title: "Workers", icon: "workers" },
    ],
  },
  {
    title: "Recurring",
    items: [
      { to: "/sources", title: "Sources", icon: "sources" },
      { to: "/jobs", title: "Jobs", icon: "jobs" },
      { to: "/scheduler", title: "Scheduler", icon: "scheduler" },
      { to: "/feeds", title: "Feeds", icon: "feeds" },
      { to: "/tasks", title: "Tasks", icon: "tasks" },
    ],
  },
  {
    title: "Results",
    items: [
      { to: "/pages", title: "Pages", icon: "pages" },
      { to: "/items", title: "Items", icon: "items" },
      { to: "/products", title: "Products", icon: "products" },
      { to: "/articles", title: "Articles", icon: "articles" },
      { to: "/parsers", title: "Parsers", icon: "parsers" },
      { to: "/quality", title: "Data quality", icon: "quality" },
      { to: "/changes", title: "Changes", icon: "changes" },
      { to: "/duplicates", title: "Duplicates", icon: "duplicates" },
      { to: "/urls", title: "URLs", icon: "urls" },
      { to: "/visits", title: "Visits", icon: "visits" },
      { to: "/errors", title: "Errors", icon: "errors" },
      { to: "/discovered", title: "Out of scope", icon: "links" },
      { to: "/exports", title: "Exports", icon: "exports" },
    ],
  },
  {
    title: "Admin",
    items: [
      { to: "/webhooks", title: "Webhooks", icon: "webhooks", isForAdmins: true },
      { to: "/settings", title: "Settings", icon: "settings", isForAdmins: true },
      { to: "/users", title: "Users", icon: "users", isForAdmins: true },
      { to: "/audit", title: "Audit log", icon: "audit", isForAdmins: true },
    ],
  },
];

function useGroups() {
  const { isAdmin } = useRole();
  return GROUPS.map((group) => ({
    ...group,
    items: group.items.filter((each) => isAdmin || !each.isForAdmins),
  })).filter((group) => group.items.length > 0);
}

export function SideNav() {
  const groups = useGroups();
  return (
    <aside
      aria-label="Tenax"
      className="hidden w-[13.5rem] shrink-0 flex-col border-r border-line bg-sunken lg:flex print:hidden"
    >
      <Link to="/" className="flex h-14 items-center gap-2 px-5 text-lg font-semibold tracking-tight">
        <Mark className="size-6 text-accent" />
        tenax
      </Link>
      <nav aria-label="Screens" className="flex-1 overflow-y-auto px-3 pb-3">
        {groups.map((group) => (
          <div key={group.title} className="mt-2">
            <p className="px-2 pb-1 text-2xs font-medium text-faint">{group.title}</p>
            <ul>
              {group.items.map((item) => (
                <li key={item.to}>
                  <NavLink item={item} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <CrawlRate />
    </aside>
  );
}

function NavLink({ item }: { item: NavItem }) {
  return (
    <Link
      to={item.to}
      activeOptions={{ exact: item.to === "/", includeSearch: false }}
      className="flex h-9 items-center gap-2.5 rounded-[7px] px-2 text-quiet lg:h-[1.8rem] hover:bg-line/50 hover:text-ink"
      activeProps={{ className: "bg-panel! text-ink! font-medium shadow-sm", "aria-current": "page" }}
    >
      <Icon name={item.icon} />
      {item.title}
    </Link>
  );
}

const MOST_USED = ["/", "/runs", "/domains", "/pages"];

/** The menu on narrow screens: the four most used screens and a sheet with the others. */
export function BottomNav() {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const groups = useGroups();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the sheet
  useEffect(() => setOpen(false), [pathname]);
  const all = groups.flatMap((group) => group.items);
  return (
    <nav
      aria-label="Screens"
      className="fixed inset-x-0 bottom-0 z-40 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] lg:hidden print:hidden"
    >
      {isOpen && (
        <ul
          id="more-screens"
          className="grid max-h-[60dvh] grid-cols-2 gap-1 overflow-y-auto border-b border-line p-3"
        >
          {all
            .filter((item) => !MOST_USED.includes(item.to))
            .map((item) => (
              <li key={item.to}>
                <NavLink item={item} />
              </li>
            ))}
        </ul>
      )}
      <ul className="grid grid-cols-5">
        {all
          .filter((item) => MOST_USED.includes(item.to))
          .map((item) => (
            <li key={item.to}>
              <Link
                to={item.to}
                activeOptions={{ exact: item.to === "/", includeSearch: false }}
                className="flex h-14 flex-col items-center justify-center gap-0.5 text-2xs text-quiet"
                activeProps={{ className: "text-accent! font-medium", "aria-current": "page" }}
              >
                <Icon name={item.icon} />
                {item.title}
              </Link>
            </li>
          ))}
        <li>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls="more-screens"
            onClick={() => setOpen(!isOpen)}
            className={`flex h-14 w-full flex-col items-center justify-center gap-0.5 text-2xs ${isOpen ? "text-accent" : "text-quiet"}`}
          >
            <Icon name="more" />
            More
          </button>
        </li>
      </ul>
    </nav>
  );
}
