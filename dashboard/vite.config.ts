import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.TENAX_DEV_SERVER ?? "http://127.0.0.1:8060";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../src/tenax/api/static",
    emptyOutDir: true,
    manifest: ".manifest.json",
    target: "es2022",
    // The content security policy forbids everything inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // Proxies to a running `tenax serve`: the one that `make dev` started, or one on the default port.
    proxy: { "/api": server, "/sse": server },
  },
});
