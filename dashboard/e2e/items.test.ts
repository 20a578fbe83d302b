/** Items that parsers made, and errors. */

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN,
  checkAccessibility,
  checkTables,
  checkWidth,
  logIn,
  PageMonitor,
  waitForContent,
} from "./browser";
import { Service, takeScreenshot } from "./service";

let service: Service;
let context: BrowserContext;
let page: Page;
let monitor: PageMonitor;

beforeAll(async () => {
  service = await Service.open("tests.support.dashboard_items");
  context = await service.newContext();
  const token = service.facts.setup?.split("token=")[1] ?? "";
  await (await service.newContext()).request.post("/api/v1/auth/setup", { data: { token, ...ADMIN } });
  monitor = new PageMonitor(context, service.facts.url);
  page = await context.newPage();
  await logIn(page, ADMIN);
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
