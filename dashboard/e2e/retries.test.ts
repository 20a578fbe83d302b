/** Pages that failed work again: a user retries them, all at once and one by one. */

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, checkAccessibility, checkWidth, logIn, PageMonitor, USER, waitForContent } from "./browser";
import { Service, takeScreenshot } from "./service";

let service: Service;
let context: BrowserContext;
let page: Page;
let monitor: PageMonitor;
let seed: string;

beforeAll(async () => {
  service = await Service.open();
  context = await service.newContext();
  monitor = new PageMonitor(context, service.facts.url);
  page = await context.newPage();
  seed = service.facts.seeds.find((each) => each.includes("fjord.test")) ?? "";
});

afterAll(async () => {
  await service?.close();
});

async function crawlSome(pages: number): Promise<void> {
  await page.goto("/crawl");
  await page.getByLabel("Seeds").fill(seed);
  await page.getByLabel("Delay").fill("0.05");
  await page.getByLabel("Page limit").fill(String(pages));
  await page.getByRole("button", { name: "Start crawl" }).click();
  await page.getByRole("heading", { name: /^Run \d+/ }).waitFor();
  await page
    .getByText(/^(done|budget)$/)
    .first()
    .waitFor();
}

describe("a dead URL", () => {
  it("exists after a crawl", async () => {
    await page.goto(service.facts.setup ?? "");
    await page.getByLabel("Name").fill(ADMIN.name);
    await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
    await page.getByLabel("Confirm password").fill(ADMIN.password);
    await page.getByRole("button", { name: "Create administrator" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await crawlSome(10);
  });

  it("can be retried where the list shows only dead URLs", async () => {
    await page.goto("/urls");
    await waitForContent(page);
    await page.getByRole("table").getByText("fetched").first().waitFor();
    expect(await page.getByRole("button", { name: "Retry all matching" }).count()).toBe(0);
    await page.getByLabel("Fate").selectOption("dead");
    await page.getByLabel("Reason").selectOption("http_status");
    await expect.poll(() => page.url()).toContain("reason=http_status");
    await page.getByRole("button", { name: "Retry all matching" }).waitFor();
  });

  it("is counted before it is retried", async () => {
    await page.getByRole("button", { name: "Retry all matching" }).click();
    await expect.poll(() => page.getByTestId("retry-count").textContent()).toBe("2 URLs: 2 http status.");
    await page.getByRole("button", { name: "Retry 2 URLs" }).waitFor();
    await checkAccessibility(page);
    await takeScreenshot(page, "retry");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("table").getByText("dead").first().waitFor();
  });

  it("is queued again, and the next run fetches it", async () => {
    await service.heal();
    await page.getByRole("button", { name: "Retry all matching" }).click();
    await page.getByRole("button", { name: "Retry 2 URLs" }).click();
    await page.getByText("2 URLs queued. The next run will visit them.").waitFor();
    await page.getByText("No URLs match").waitFor();
    // URLs that were queued before come first.
    await crawlSome(120);
    await page.goto(`/explain?url=${encodeURIComponent(new URL("/p/1.html", seed).href)}`);
    await expect.poll(() => page.getByTestId("because").textContent()).toContain("It was fetched");
  });
});

describe("a page", () => {
  it("is revisited from its explanation", async () => {
    await page.getByRole("button", { name: "Revisit" }).click();
    await page.getByText("1 URL queued.").waitFor();
    await page.getByText("It is queued for another visit.").waitFor();
    await checkAccessibility(page);
    await checkWidth(page);
  });

  it("is revisited from its own screen, and kept meanwhile", async () => {
    await page.getByRole("link", { name: "View the stored page" }).click();
    await page.getByRole("button", { name: "Revisit" }).click();
    await page.getByText("Already queued.").waitFor();
    await page.getByText("Metadata").waitFor();
  });
});

describe("a user", () => {
  it("sees dead URLs but cannot retry them", async () => {
    await page.goto("/users");
    await page.getByRole("button", { name: "Add user" }).click();
    await page.getByLabel("Name").fill(USER.name);
    await page.getByLabel("Password").fill(USER.password);
    await page.getByRole("dialog").getByRole("button", { name: "Add user" }).click();
    await page.getByText("bob can now log in.").waitFor();
    const other = await service.newContext();
    const screen = await other.newPage();
    await logIn(screen, USER);
    await screen.goto("/urls?fate=dead");
    await screen.getByRole("heading", { name: "URLs" }).waitFor();
    await waitForContent(screen);
    expect(await screen.getByRole("button", { name: "Retry all matching" }).count()).toBe(0);
    await screen.goto(`/explain?url=${encodeURIComponent(seed)}`);
    await screen.getByTestId("because").waitFor();
    expect(await screen.getByRole("button", { name: "Revisit" }).count()).toBe(0);
    await other.close();
  });

  it("sees no errors", () => {
    expect(monitor.errors).toEqual([]);
    expect(monitor.foreignRequests).toEqual([]);
  });
});
