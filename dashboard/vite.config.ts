import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../src/tenax/api/static",
    emptyOutDir: true,
    manifest: ".manifest.json",
    target: "es2022",
    // The content policy knows no inline anything.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // `npm run dev` beside a `tenax serve` on its usual port.
    proxy: { "/api": "http://127.0.0.1:8060", "/sse": "http://127.0.0.1:8060" },
  },
});
