/** What tests do in the browser, and what they check. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const ADMIN = { name: "ada", password: "correct horse battery" };
export const USER = { name: "bob", password: "another long password" };

export async function logIn(page: Page, who: { name: string; password: string }): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Name").fill(who.name);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

/** Collects errors, and requests to other servers. */
export class PageMonitor {
  readonly errors: string[] = [];
  readonly foreignRequests: string[] = [];

  constructor(
    context: BrowserContext,
    private readonly home: string,
  ) {
    context.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
    context.on("weberror", (error) => this.errors.push(String(error.error())));
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(this.home) && !/^(data|blob|about):/.test(url)) this.foreignRequests.push(url);
    });
  }
}

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"];
/** Themes differ only in colors. */
export const COLOR_RULES = ["color-contrast"];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Runs axe through the debugger, so that the content security policy of the page stays in force. */
export async function checkAccessibility(page: Page, rules = ALL_RULES): Promise<void> {
  await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then((found) => found.violations)`,
  )) as Violation[];
  const messages = violations.flatMap((each) =>
    each.nodes.map((node) => `${each.id}: ${node.html}\n${node.failureSummary ?? ""}`),
  );
  expect(messages, page.url()).toEqual([]);
}

/** Checks that the page does not scroll horizontally. */
export async function checkWidth(page: Page): Promise<void> {
  const measure = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(measure, { message: `${page.url()} is too wide` }).toBeLessThanOrEqual(0);
}

/** Checks that no table is wider than its container. */
export async function checkTables(page: Page): Promise<void> {
  const measure = () =>
    page
      .locator("[role=table]")
      .evaluateAll((tables) => Math.max(0, ...tables.map((each) => each.scrollWidth - each.clientWidth)));
  await expect.poll(measure, { message: `a table of ${page.url()} is too wide` }).toBeLessThanOrEqual(1);
}

export async function waitForContent(page: Page): Promise<void> {
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}

export async function countOf(page: Page, testId: string): Promise<number> {
  const text = (await page.getByTestId(testId).textContent()) ?? "";
  return Number(text.replace(/[^\d.]/g, ""));
}
