/** What a crawl finds out about sites: sitemaps, lists, archives, traps, duplicates, walls, slow pages. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  COLOR_RULES,
  checkAccessibility,
  checkTables,
  checkWidth,
  type PageMonitor,
  waitForContent,
} from "./browser";
import { type Service, takeScreenshot } from "./service";
import { openSession } from "./session";

let service: Service;
let page: Page;
let monitor: PageMonitor;

beforeAll(async () => {
  ({ service, page, monitor } = await openSession("tests.support.dashboard_findings"));
});

afterAll(async () => {
  await service?.close();
});

function seedOf(name: string): string {
  return service.facts.seeds.find((each) => each.includes(name)) ?? "";
}

function hostOf(name: string): string {
  return new URL(seedOf(name)).host;
}

function button(name: string) {
  return page.getByRole("button", { name, exact: true });
}

function rowOf(text: string) {
  return page.getByRole("row").filter({ hasText: text });
}

/** Checks a screen in both themes and on a phone. */
async function checkScreen(): Promise<void> {
  await waitForContent(page);
  await checkAccessibility(page);
  await checkTables(page);
  await checkWidth(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await checkAccessibility(page, COLOR_RULES);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 360, height: 720 });
  await checkWidth(page);
  await page.setViewportSize({ width: 1280, height: 800 });
}

const SWITCHES = {
  "Read sitemaps": "on",
  "Guess archives": "on",
  "Guess pages of lists": "on",
  "Detect soft 404s": "off",
  "Avoid traps": "on",
  "Near-duplicates": "keep",
};

describe("a source", () => {
  it("says how pages are found and filtered", async () => {
    await page.goto("/sources/new");
    await page.getByLabel("Name").fill("Woods");
    await page.getByLabel("Seeds").fill(service.facts.seeds.join("\n"));
    await page.getByLabel("Depth").fill("40");
    await page.getByLabel("Delay").fill("0.02");
    for (const [label, choice] of Object.entries(SWITCHES)) {
      await page.getByLabel(label).selectOption(choice);
    }
    await page.getByRole("heading", { name: "Finding and filtering" }).scrollIntoViewIfNeeded();
    await checkScreen();
    await button("Add source").click();
    await page.getByRole("heading", { name: "Woods" }).waitFor();
    const facts = page.locator("dl div");
    await facts.filter({ hasText: /^Sitemaps\s*read/ }).waitFor();
    await facts.filter({ hasText: /^Soft 404s\s*not detected/ }).waitFor();
    await facts.filter({ hasText: /^Traps\s*avoided/ }).waitFor();
    expect(await facts.filter({ hasText: "Bot checks" }).count()).toBe(0);
  });

  it("keeps its switches when something else is changed", async () => {
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Depth").fill("30");
    await button("Save changes").click();
    await page.getByText("Woods was changed.").waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    for (const [label, choice] of Object.entries(SWITCHES)) {
      expect(await page.getByLabel(label).inputValue()).toBe(choice);
    }
  });
});

describe("a worker", () => {
  it("shows the visit that takes longest", async () => {
    await button("Run now").click();
    await page.getByText(/^Job \d+ starts within seconds/).waitFor();
    await page.goto("/workers");
    await page.getByRole("row").getByText(seedOf("sloth")).waitFor();
    await checkScreen();
  });
});

describe("a domain", () => {
  it("lists its sitemaps, with what they brought", async () => {
    await page.goto(`/domains/${hostOf("grove")}?tab=sitemaps`);
    await rowOf("/letters.xml").getByText("read", { exact: true }).waitFor();
    await rowOf("/letters.xml").getByRole("cell", { name: "3", exact: true }).first().waitFor();
    await rowOf("/lost.xml").getByText("gone", { exact: true }).waitFor();
    await checkScreen();
    await takeScreenshot(page, "sitemaps");
  });

  it("has learned about its lists and archives, which can be turned off", async () => {
    await page.goto(`/domains/${hostOf("grove")}?tab=guesses`);
    await page.getByText("/news?page={n}", { exact: true }).waitFor();
    await page.getByText("/{Y}/{MM}/", { exact: true }).waitFor();
    await checkScreen();
    await takeScreenshot(page, "guesses");
    await button("Do not guess by /news?page={n}").click();
    await page.getByText("/news?page={n} is now off.").waitFor();
    await button("Guess by /news?page={n}").waitFor();
  });

  it("shows how its URLs were found", async () => {
    await page.goto(`/domains/${hostOf("grove")}`);
    const ways = page.locator("section").filter({ hasText: "How its URLs were found" });
    for (const way of ["seed", "link", "sitemap", "archive", "pagination"]) {
      await ways.getByText(way, { exact: true }).waitFor();
    }
    await checkScreen();
  });

  it("lists its traps", async () => {
    await page.goto(`/domains/${hostOf("maze")}?tab=traps`);
    await rowOf("/events?*").getByText("closed", { exact: true }).waitFor();
    await checkScreen();
    await takeScreenshot(page, "traps");
  });

  it("has empty tabs that say what would be there", async () => {
    for (const [tab, note] of [
      ["sitemaps", "No sitemaps"],
      ["guesses", "Nothing learned yet"],
      ["traps", "No traps"],
    ]) {
      await page.goto(`/domains/${hostOf("sloth")}?tab=${tab}`);
      await page
        .getByText(note ?? "")
        .first()
        .waitFor();
      await checkScreen();
    }
  });
});

describe("duplicates", () => {
  it("are listed with what they repeat, exactly or nearly", async () => {
    await page.goto("/duplicates");
    await rowOf("/essay").getByText("/essay/print").waitFor();
    await checkScreen();
    await takeScreenshot(page, "duplicates");
    await page.getByLabel("Kind").selectOption("near");
    await rowOf("/essay").getByText("/essay/print").waitFor();
  });
});

describe("URLs", () => {
  it.each([
    ["rejected", "walled.test"],
    ["trapped", "/events?"],
    ["read", "/letters.xml"],
  ])("can be %s", async (fate, path) => {
    await page.goto("/urls");
    await page.getByLabel("Fate").selectOption(fate);
    await rowOf(path).first().getByText(fate, { exact: true }).waitFor();
    await checkScreen();
    await rowOf(path).first().getByRole("link").first().click();
    await page.getByTestId("because").waitFor();
    await checkScreen();
  });
});

describe("a trap", () => {
  it("is opened by an administrator", async () => {
    await page.goto(`/domains/${hostOf("maze")}?tab=traps`);
    await button("Open /events?*").click();
    await page.getByText("URLs like /events?* are open.").waitFor();
    await button("Close /events?*").waitFor();
  });
});

describe("the whole story", () => {
  it("causes no errors", () => {
    expect(monitor.errors).toEqual([]);
    expect(monitor.foreignRequests).toEqual([]);
  });
});
