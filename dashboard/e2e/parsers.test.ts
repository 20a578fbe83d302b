/** Parsers: how they do, candidates beside them, the audit of items; and sources that have parsers. */

import { readFileSync } from "node:fs";
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
  ({ service, page, monitor } = await openSession("tests.support.dashboard_parsers"));
});

afterAll(async () => {
  await service?.close();
});

function button(name: string) {
  return page.getByRole("button", { name, exact: true });
}

function rowOf(text: string) {
  return page.getByRole("row").filter({ hasText: text });
}

async function cellsOf(text: string): Promise<string[]> {
  await rowOf(text).first().waitFor();
  return await rowOf(text).first().getByRole("cell").allTextContents();
}

function factOf(label: string) {
  return page.locator("dl div").filter({ has: page.getByText(label, { exact: true }) });
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

const PARSER = {
  name: "lantern",
  version: "1",
  patterns: ["/products/*"],
  kind: "product",
  fields: {
    name: "h1",
    price: { css: ".price", type: "number", required: true },
    words: { regex: "for number (.+)" },
  },
};
const CANDIDATE = {
  ...PARSER,
  version: "2",
  fields: {
    name: "h1",
    price: { jsonld: "Product.offers.price", type: "number" },
    brand: { jsonld: "Product.brand.name" },
  },
  share: 1,
};
const CHOICES = {
  Articles: "fallback",
  "Detect languages": "true",
  "Markdown of pages": "keep",
  PDFs: "read",
};

describe("a source", () => {
  it("has parsers, articles, languages and Markdown", async () => {
    await page.goto("/sources/new");
    await page.getByLabel("Name").fill("Lantern");
    await page.getByLabel("Seeds").fill(service.facts.seeds.join("\n"));
    await page.getByLabel("Delay").fill("0.02");
    for (const [label, choice] of Object.entries(CHOICES)) await page.getByLabel(label).selectOption(choice);
    await page.getByLabel("Parsers").fill('[{"name": ');
    await page.getByText(/^This is not JSON/).waitFor();
    await page.getByLabel("Parsers").fill(JSON.stringify([PARSER], null, 2));
    await page.getByRole("heading", { name: "Items" }).scrollIntoViewIfNeeded();
    await takeScreenshot(page, "source-parsers");
    await checkScreen();
    await button("Add source").click();
    await page.getByRole("heading", { name: "Lantern" }).waitFor();
    await factOf("Parsers").getByText("lantern: name, price, words").waitFor();
    await factOf("Articles").getByText("made items of where no other parser makes one").waitFor();
    await factOf("Languages").getByText("detected where pages do not say theirs").waitFor();
    await factOf("Markdown").getByText("kept", { exact: true }).waitFor();
    await factOf("PDFs").getByText("read", { exact: true }).waitFor();
    await checkScreen();
  });

  it("has them still when something else is changed", async () => {
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Depth").fill("4");
    await button("Save changes").click();
    await page.getByText("Lantern was changed.").waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    for (const [label, choice] of Object.entries(CHOICES)) {
      expect(await page.getByLabel(label).inputValue()).toBe(choice);
    }
    expect(JSON.parse(await page.getByLabel("Parsers").inputValue())).toEqual([PARSER]);
  });

  it("gets candidates and rules in its YAML", async () => {
    await page.getByRole("link", { name: "YAML" }).click();
    const yaml = page.getByRole("textbox", { name: "YAML" });
    await expect.poll(() => yaml.inputValue()).toContain("Lantern");
    const rules = { product: { properties: { price: { type: "number", minimum: 0.5 } } } };
    const more = `  candidates: ${JSON.stringify([CANDIDATE])}\n  item_rules: ${JSON.stringify(rules)}\n`;
    await yaml.fill(`${(await yaml.inputValue()).trimEnd()}\n${more}`);
    await button("Check").click();
    await page.getByRole("list", { name: "Changes" }).getByText("candidates").waitFor();
    await checkScreen();
    await button("Apply").click();
    await page.getByText("File applied: 1 changed.").waitFor();
    await page.getByRole("link", { name: "Definition" }).click();
    await factOf("Candidates").getByText("lantern: 100 % of its pages").waitFor();
    await factOf("Rules for items").getByText("product").waitFor();
    await button("Run now").click();
    await expect.poll(countTried).toBe(8);
  });
});

async function countTried(): Promise<number> {
  const { comparisons } = await (await page.request.get("/api/v1/parsers/lantern/trials")).json();
  return comparisons.reduce(
    (sum: number, each: Record<string, number>) => sum + (each.pages_different ?? 0),
    0,
  );
}

describe("parsers", () => {
  it("are listed with how they do, and those that do worse", async () => {
    await page.goto("/parsers");
    await page.getByText(/^The parser shop on shop\.example finds items on 35 % of its pages/).waitFor();
    await rowOf("worse").getByRole("link", { name: "shop" }).waitFor();
    expect(await cellsOf("lantern")).toEqual(["1", "8", "7", "1", "0", "100 %", "87.5 %", expect.anything()]);
    await checkScreen();
    await takeScreenshot(page, "parsers");
  });

  it("have their rates over time, and their domains", async () => {
    await page.getByRole("link", { name: "shop", exact: true }).click();
    await page.getByRole("img", { name: /^Pages with items, valid items and confidence/ }).waitFor();
    await page.getByText("pages with items 35 %").waitFor();
    await rowOf("shop.example").getByText("1,200", { exact: true }).waitFor();
    await checkScreen();
  });

  it("are compared with their candidates", async () => {
    await page.goto("/parsers/lantern");
    await page.getByText("8 pages: 0 alike, 8 different, 0 failed.").waitFor();
    const brand = ["nothing", '"Lumen"', expect.stringMatching("/products/"), "0", "0", "0", "8"];
    expect(await cellsOf("brand")).toEqual(brand);
    await checkScreen();
    await takeScreenshot(page, "parser");
  });

  it("are replaced by a candidate that is promoted", async () => {
    await button("Promote candidate").click();
    await button("Promote").click();
    await page.getByText("The candidate is now the parser of Lantern, from its next run on.").waitFor();
    await page.getByRole("link", { name: "Lantern", exact: true }).click();
    await factOf("Parsers").getByText("lantern: name, price, brand").waitFor();
    expect(await factOf("Candidates").count()).toBe(0);
  });

  it("that nobody knows are not found", async () => {
    await page.goto("/parsers/nobody");
    await page.getByText("Not found", { exact: true }).waitFor();
    await checkScreen();
    expect(monitor.errors.splice(0)).toHaveLength(1); // the browser reports each 404
  });
});

describe("data quality", () => {
  it("lists what is wrong with items", async () => {
    await page.goto("/quality");
    const findings = page.getByRole("listitem");
    const rule = findings.filter({ hasText: "1 item: The field price must be at least 0.5." });
    await rule.getByRole("link", { name: /products\/5$/ }).waitFor();
    await findings.filter({ hasText: "parser worse" }).getByRole("link", { name: "Parsers" }).waitFor();
    expect((await cellsOf("article")).slice(0, 3)).toEqual(["Lantern", "article", "1"]);
    await checkScreen();
    await takeScreenshot(page, "quality");
    await page.getByLabel("Days").selectOption("Last 30 days");
    await page.waitForURL(/days=[^&]*30/);
  });

  it("leads to the items that were kept apart", async () => {
    const invalid = page.getByRole("listitem").filter({ hasText: "Lantern" }).getByText("Invalid items");
    await invalid.click();
    await rowOf("The field price is missing.").waitFor();
    expect(await rowOf("Bike").count()).toBe(0); // of another domain
    await checkScreen();
  });
});

describe("what a crawl keeps", () => {
  it("shows the Markdown of a page", async () => {
    await page.goto("/pages");
    await page.getByRole("link", { name: "The lamps of the harbour" }).click();
    await page.getByRole("link", { name: "Markdown" }).click();
    await page.getByRole("heading", { name: "Brass" }).waitFor();
    await checkScreen();
    await takeScreenshot(page, "page-markdown");
    await button("Plain text").click();
    await page.getByText("## Brass").waitFor();
    await checkScreen();
  });

  it("exports Markdown and its chunks", async () => {
    await page.goto("/exports");
    for (const noun of ["markdown", "chunks"]) {
      const row = page.getByRole("listitem").filter({ has: button(`Export ${noun}`) });
      const download = page.waitForEvent("download");
      await row.getByRole("button").click();
      const file = readFileSync(await (await download).path(), "utf8");
      expect(file.split("\n").filter((line) => line.includes("made of brass"))).not.toEqual([]);
      await row.getByText("saved,").waitFor();
    }
    await checkScreen();
  });

  it("shows products that were just found, with their price", async () => {
    await page.goto("/products?q=harbour");
    await page.getByRole("link", { name: "Harbour lamp 2" }).click();
    await page.getByRole("img", { name: /^Price over time, from 12.00 to 12.00$/ }).waitFor();
    await checkScreen();
  });
});

describe("the whole story", () => {
  it("causes no errors", () => {
    expect(monitor.errors).toEqual([]);
    expect(monitor.foreignRequests).toEqual([]);
  });
});
