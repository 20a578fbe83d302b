// Sets the chosen theme, or the system's, before the first paint.
(() => {
  let chosen = "system";
  try {
    chosen = localStorage.getItem("tenax.theme") ?? "system";
  } catch {
    // Storage is disabled.
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
