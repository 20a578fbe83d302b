import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: { name: "unit", include: ["src/**/*.test.ts", "src/**/*.test.tsx"], environment: "node" },
      },
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          environment: "node",
          // Each file has its own server and browser. Its tests depend on each other's order.
          maxWorkers: 2,
          testTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } }, // one second otherwise
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
