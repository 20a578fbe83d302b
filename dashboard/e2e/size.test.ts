import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

const STATIC = new URL("../../src/tenax/api/static/", import.meta.url);
const MOST_BYTES = 300_000;

it("loads less than 300 kB of scripts for the first screen", () => {
  const manifest: Record<string, Chunk> = JSON.parse(readFileSync(new URL(".manifest.json", STATIC), "utf8"));
  const files = new Set<string>();
  const walk = (name: string) => {
    const chunk = manifest[name];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    chunk.imports?.forEach(walk);
  };
  walk("index.html");
  walk("src/screens/overview/overview.tsx");
  const bytes = [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(new URL(file, STATIC))).length,
    0,
  );
  expect(files.size).toBeGreaterThan(1);
  expect(bytes).toBeLessThan(MOST_BYTES);
});

it("contains nothing inline that its content security policy forbids", () => {
  const html = readFileSync(new URL("index.html", STATIC), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?:/);
});
