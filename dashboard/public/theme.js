// Before the first paint: the chosen theme, or the system's.
(() => {
  let chosen = "system";
  try {
    chosen = localStorage.getItem("tenax.theme") ?? "system";
  } catch {
    // storage is switched off
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
