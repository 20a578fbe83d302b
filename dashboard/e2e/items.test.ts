/** Items that parsers made, and errors. */

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkAccessibility, checkTables, checkWidth, type PageMonitor, waitForContent } from "./browser";
import { type Service, takeScreenshot } from "./service";
import { openSession } from "./session";

let service: Service;
let page: Page;
let monitor: PageMonitor;

beforeAll(async () => {
  ({ service, page, monitor } = await openSession("tests.support.dashboard_items"));
});

afterAll(async () => {
  await service?.close();
});

function rowOf(text: string) {
  return page.getByRole("row").filter({ hasText: text });
}

/** Checks a screen, also on a phone. */
async function checkScreen(): Promise<void> {
  await waitForContent(page);
  await checkAccessibility(page);
  await checkTables(page);
  await page.setViewportSize({ width: 360, height: 720 });
  await checkWidth(page);
  await page.setViewportSize({ width: 1280, height: 800 });
}

describe("data quality", () => {
  it("shows what audits found over time, and the findings of the last one", async () => {
    await page.goto("/quality");
    await page.getByRole("img", { name: "Findings over time: rule, orphan" }).waitFor();
    const last = page.getByRole("list", { name: "Findings of the last audit" });
    await last.getByText("The field price is missing").first().waitFor();
    expect(await last.getByRole("listitem").count()).toBe(4);
    await checkScreen();
    await takeScreenshot(page, "quality");
  });
});

describe("products", () => {
  it("are listed with their drops of the last day, and sorted by price in one currency", async () => {
    await page.goto("/products");
    const drops = page.getByRole("list", { name: "Price drops of the last day" });
    await drops.getByText("Desk Lamp").waitFor();
    await drops.getByText("−20 %").waitFor();
    await checkScreen();
    await takeScreenshot(page, "products");
    await page.getByLabel("Currency").selectOption("EUR");
    await rowOf("floor lamp").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Price", exact: true }).click();
    await page.waitForURL(/sort=price/);
    await page.getByLabel("Price to").fill("13");
    await rowOf("Chair").waitFor({ state: "detached" });
    await rowOf("Desk Lamp").waitFor();
    await page.goto("/products?sort=price&category=Home > Lamps > Floor");
    await rowOf("floor lamp").waitFor();
  });

  it("have a chart of their prices, and their stock over time", async () => {
    await page.goto("/products?q=desk");
    await rowOf("Desk Lamp").getByRole("link").first().click();
    await page.getByRole("heading", { name: "Desk Lamp" }).waitFor();
    await page.getByRole("img", { name: /^Price over time, from EUR.12.80 to EUR.20.00$/ }).waitFor();
    await rowOf("out of stock").waitFor();
    await page.getByRole("link", { name: /lamp-2\.jpg/ }).waitFor();
    await checkScreen();
    await takeScreenshot(page, "product");
    await page.getByRole("link", { name: "All that was found" }).click();
    await page.getByRole("link", { name: "Prices over time" }).click();
    await page.getByRole("heading", { name: "Desk Lamp" }).waitFor();
  });

  it("with hostile data are shown as text, and load nothing", async () => {
    await page.goto("/products?state=present");
    await page.getByRole("link", { name: /<img src=x/ }).click();
    await page.getByText("<b>bold</b>").waitFor();
    await page.getByText("javascript:alert(1)").waitFor();
    expect(await page.getByRole("link", { name: /javascript/ }).count()).toBe(0);
    await page.getByText("No page has named a price.").waitFor();
    await checkScreen();
  });
});

describe("stock changes", () => {
  it("of the last day are beside the price drops, and all of them in a tab", async () => {
    await page.goto("/products");
    const recent = page.getByRole("list", { name: "Stock changes of the last day" });
    await recent.getByText("Desk Lamp").first().waitFor();
    expect(await recent.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/out of stock.*became.*in stock/),
      expect.stringMatching(/in stock.*became.*out of stock/),
    ]);
    await page.getByRole("link", { name: "All stock changes" }).click();
    await page.waitForURL(/tab=stock/);
    await expect.poll(() => rowOf("Desk Lamp").count()).toBe(2);
    await checkScreen();
    await takeScreenshot(page, "stock-changes");
    await page.getByLabel("Became").selectOption("out_of_stock");
    await expect.poll(() => rowOf("Desk Lamp").count()).toBe(1);
    await page.getByLabel("Became").selectOption("discontinued");
    await page.getByText("No stock changes match").waitFor();
  });
});

describe("articles", () => {
  it("are listed with their titles, sites and dates, and searched by words", async () => {
    await page.goto("/articles");
    await rowOf("The lamps of the harbour").getByText("Harbour News").waitFor();
    await checkScreen();
    await takeScreenshot(page, "articles");
    await page.getByRole("searchbox", { name: "Text", exact: true }).fill("mole with oil");
    await rowOf("الميناء").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "The lamps of the harbour" }).click();
    await page.getByRole("heading", { name: "The lamps of the harbour", level: 1 }).waitFor();
  });

  it("are read as text with headings, lists, tables and links", async () => {
    const article = page.getByRole("article");
    await article.getByRole("heading", { name: "What a keeper carries", level: 2 }).waitFor();
    await article.getByRole("heading", { name: "Hours", level: 3 }).waitFor();
    await article.getByRole("cell", { name: "16:10" }).waitFor();
    const link = article.getByRole("link", { name: "a book" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await article.locator("img").count()).toBe(0);
    await article.getByRole("link", { name: "[The pier at dusk]" }).waitFor();
    await page.getByText("Ada Ferry, Ben Quay").waitFor();
    await checkScreen();
    await takeScreenshot(page, "article");
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation").count()).toBe(0);
    await checkWidth(page);
    await page.emulateMedia({ media: "screen" });
  });

  it("run from right to left in the languages that do", async () => {
    await page.goto("/articles");
    await page.getByRole("link", { name: "مصابيح الميناء" }).click();
    const article = page.locator('article[dir="rtl"][lang="ar"]');
    await article.getByRole("heading", { name: "الحارس" }).waitFor();
    for (const tag of ["p", "li", "blockquote"]) {
      const direction = article
        .locator(tag)
        .first()
        .evaluate((element) => getComputedStyle(element).direction);
      expect(await direction, tag).toBe("rtl");
    }
    await checkScreen();
  });

  it("without Markdown are paragraphs", async () => {
    await page.goto("/articles");
    await page.getByRole("link", { name: "plain", exact: true }).click();
    await page.getByText("Second <b>paragraph</b>.").waitFor();
    expect(await page.getByRole("article").locator("p").count()).toBe(2);
    await checkScreen();
  });

  it("that attack their reader are text, and load nothing", async () => {
    await page.goto("/articles");
    await page.getByRole("link", { name: /window\.owned=1/ }).click();
    const article = page.getByRole("article");
    await article.getByText("<script>window.owned=6</script>").waitFor();
    await article.getByText("pay ⟨202E⟩gnp.exe⟨202C⟩ now").waitFor();
    expect(await article.locator("script, img, iframe, svg, b").count()).toBe(0);
    expect(await page.getByRole("link", { name: /press|data/ }).count()).toBe(0);
    expect(await article.locator("blockquote").count()).toBe(8);
    expect(await article.getAttribute("lang")).toBeNull();
    expect(await page.evaluate("window.owned")).toBeUndefined();
    await checkScreen();
  });
});

describe("exports of items", () => {
  it("have a column for each field of the kind that is chosen", async () => {
    await page.goto("/exports");
    await page.getByRole("button", { name: "CSV" }).click();
    await page.getByLabel("Kind").selectOption("product");
    await page.waitForURL(/kind=product/);
    await checkScreen();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export items" }).click();
    const text = readFileSync(await (await saved).path(), "utf8");
    const [head = ""] = text.split("\r\n");
    expect(head).toContain('"data.price"');
    expect(head).not.toContain('"data.markdown"');
    expect(text).toContain('"[""https://shop.example/lamp.jpg"",""https://shop.example/lamp-2.jpg""]"');
  });
});

describe("alerts of products", () => {
  it("are chosen with the least drop", async () => {
    await page.goto("/webhooks");
    await page.getByRole("button", { name: "Add webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("deals");
    await dialog.getByLabel("URL").fill("https://receiver.example/");
    await dialog.getByLabel("A product becomes cheaper").check();
    await dialog.getByLabel("Least drop, in percent").fill("10");
    await dialog.getByRole("button", { name: "Add webhook" }).click();
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByText("product.price_dropped ≥ 10 %").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("disabled", { exact: true }).waitFor();
    await page.getByText("product.price_dropped ≥ 10 %").waitFor();
  });
});

describe("items", () => {
  it("are listed and filtered by their fields", async () => {
    await page.goto("/items");
    await rowOf("boat").waitFor();
    await checkScreen();
    await takeScreenshot(page, "items");
    await page.getByLabel("price>10").fill("price>10");
    await rowOf("car").waitFor({ state: "detached" });
    await rowOf("boat").waitFor();
  });

  it("are shown with their data, URLs and history", async () => {
    await page.getByRole("link", { name: "boat", exact: true }).click();
    await page.getByRole("heading", { name: "boat" }).waitFor();
    await page.getByText("12.5", { exact: true }).waitFor();
    await checkScreen();
    await page.getByRole("link", { name: "URLs", exact: true }).last().click();
    await page.getByText("2 in all, newest first").waitFor();
    await checkScreen();
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByText("price: 10 → 12.5").waitFor();
    await checkScreen();
    await takeScreenshot(page, "item");
  });

  it("that are invalid have their faults", async () => {
    await page.goto("/items?tab=invalid");
    await page.getByText("price: is not a number.").waitFor();
    await checkScreen();
  });
});

describe("errors", () => {
  it("are counted in groups", async () => {
    await page.goto("/errors");
    await rowOf("KeyError").getByText("2", { exact: true }).waitFor();
    await checkScreen();
    await takeScreenshot(page, "errors");
    await rowOf("KeyError").getByRole("link").first().click();
    await expect.poll(() => rowOf("KeyError").count()).toBe(2);
  });

  it("are shown with their stack trace", async () => {
    await rowOf("KeyError").first().getByRole("link").first().click();
    await page.getByRole("heading", { name: "Stack trace" }).waitFor();
    await page.getByText("Traceback (most recent call last)").waitFor();
    await checkScreen();
  });

  it("of a run are a tab of its screen", async () => {
    await page.goto("/runs/1?tab=errors");
    await rowOf("KeyError").first().waitFor();
    await page.goto("/runs/1?tab=items");
    await rowOf("boat").waitFor();
    await checkScreen();
  });
});

describe("the whole story", () => {
  it("causes no errors", () => {
    expect(monitor.errors).toEqual([]);
    expect(monitor.foreignRequests).toEqual([]);
  });
});
