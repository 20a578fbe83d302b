import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef } from "react";
import { endSession, useRole } from "../api/session";
import { readSearch } from "../format/text";
import type { Connection } from "../live/connection";
import { useLive } from "../live/store";
import { Dot, type Tone } from "../ui/basics";
import { notify } from "../ui/notices";
import { type Theme, useTheme } from "../ui/theme";
import { Icon, type IconName, Mark } from "./icons";

export function TopBar() {
  return (
    <header className="sticky top-0 z-30 flex h-14 shrink-0 items-center gap-2 border-b border-line bg-paper px-4 lg:static lg:gap-4 lg:px-7 print:hidden">
      <Link to="/" aria-label="Tenax overview" className="lg:hidden">
        <Mark className="size-6 text-accent" />
      </Link>
      <Search />
      <div className="ml-auto flex items-center gap-1">
        <ConnectionStatus />
        <ThemeSwitch />
        <AccountLinks />
      </div>
    </header>
  );
}

function Search() {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      input.current?.select();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  function search(event: FormEvent) {
    event.preventDefault();
    const wanted = readSearch(input.current?.value ?? "");
    if (!wanted) return;
    input.current?.blur();
    if (wanted.kind === "domain") void navigate({ to: "/domains", search: { q: wanted.value } });
    else void navigate({ to: "/explain", search: { url: wanted.value } });
  }

  return (
    <search className="min-w-0 flex-1 lg:max-w-xl">
      <form onSubmit={search} className="relative">
        <Icon name="search" className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-faint" />
        <input
          ref={input}
          type="search"
          aria-label="Explain a URL or find a domain"
          aria-keyshortcuts="/"
          placeholder="Explain a URL or find a domain"
          autoComplete="off"
          spellCheck={false}
          className="field w-full pr-8 pl-8.5"
        />
        <kbd
          aria-hidden="true"
          className="pointer-events-none absolute top-2 right-2.5 hidden rounded border border-line px-1.5 font-sans text-2xs text-faint lg:block"
        >
          /
        </kbd>
      </form>
    </search>
  );
}

const CONNECTIONS: Record<Connection, { tone: Tone; text: string; hint: string }> = {
  connecting: { tone: "quiet", text: "connecting", hint: "Connecting to the live stream." },
  live: { tone: "ok", text: "live", hint: "Live: numbers update as they change." },
  polling: {
    tone: "warn",
    text: "polling",
    hint: "The live stream is unavailable. Numbers update every five seconds.",
  },
  offline: { tone: "bad", text: "offline", hint: "The server does not respond. Reconnecting automatically." },
};

function ConnectionStatus() {
  const connection = useLive((state) => state.connection);
  const { tone, text, hint } = CONNECTIONS[connection];
  return (
    <p
      role="status"
      title={hint}
      className="flex items-center gap-2 px-2 text-xs text-quiet lg:w-24 lg:justify-end"
    >
      <Dot tone={tone} isBreathing={connection === "live"} />
      <span className={connection === "live" ? "max-sm:sr-only" : ""} data-testid="connection">
        {text}
      </span>
    </p>
  );
}

const THEMES: Record<Theme, { icon: IconName; text: string }> = {
  system: { icon: "system", text: "System theme" },
  light: { icon: "sun", text: "Light theme" },
  dark: { icon: "moon", text: "Dark theme" },
};

function ThemeSwitch() {
  const { theme, turn } = useTheme();
  const { icon, text } = THEMES[theme];
  return (
    <button
      type="button"
      onClick={turn}
      title={text}
      aria-label={`${text}, change theme`}
      className="grid size-9 place-items-center rounded-[7px] text-quiet hover:bg-sunken hover:text-ink"
    >
      <Icon name={icon} />
    </button>
  );
}

function AccountLinks() {
  const { name, isAdmin } = useRole();
  const queries = useQueryClient();
  const navigate = useNavigate();

  async function logOut() {
    try {
      await endSession(queries);
      await navigate({ to: "/login" });
    } catch (error) {
      notify("bad", error instanceof Error ? error.message : "Logging out failed. You are still logged in.");
    }
  }

  return (
    <>
      <Link
        to="/account"
        className="flex h-9 items-center gap-2 rounded-[7px] px-2 text-quiet hover:bg-sunken hover:text-ink"
        title={isAdmin ? "Your account: administrator" : "Your account"}
      >
        <Icon name="users" />
        <bdi className="max-w-28 truncate max-sm:sr-only">{name}</bdi>
      </Link>
      <button
        type="button"
        onClick={logOut}
        aria-label="Log out"
        title="Log out"
        className="grid size-9 place-items-center rounded-[7px] text-quiet hover:bg-sunken hover:text-ink"
      >
        <Icon name="leave" />
      </button>
    </>
  );
}
