import { create } from "zustand";

export type Theme = "system" | "light" | "dark";
const KEY = "tenax.theme"; // read by public/theme.js before the first paint
const ORDER: readonly Theme[] = ["system", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");

interface ThemeState {
  theme: Theme;
  isDark: boolean;
  turn: () => void;
}

export const useTheme = create<ThemeState>((set, get) => ({
  theme: load(),
  isDark: document.documentElement.dataset.theme === "dark",
  turn: () => {
    const next = ORDER[(ORDER.indexOf(get().theme) + 1) % ORDER.length] ?? "system";
    save(next);
    set({ theme: next, isDark: apply(next) });
  },
}));

dark.addEventListener("change", () => {
  const { theme } = useTheme.getState();
  useTheme.setState({ isDark: apply(theme) });
});

function apply(theme: Theme): boolean {
  const isDark = theme === "dark" || (theme === "system" && dark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  return isDark;
}

function load(): Theme {
  try {
    return ORDER.find((each) => each === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}

function save(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage is disabled: the choice lasts until the page is closed.
  }
}
