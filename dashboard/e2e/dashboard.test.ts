/** One story: a user sets up Tenax, crawls, browses the results, and loses the server for a while. */

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN,
  COLOR_RULES,
  checkAccessibility,
  checkWidth,
  countOf,
  logIn,
  PageMonitor,
  USER,
  waitForContent,
} from "./browser";
import { Service, takeScreenshot } from "./service";

let service: Service;
let context: BrowserContext;
let page: Page;
let monitor: PageMonitor;
let host: string;

beforeAll(async () => {
  service = await Service.open();
  context = await service.newContext();
  monitor = new PageMonitor(context, service.facts.url);
  page = await context.newPage();
  host = new URL(service.facts.seeds[0] ?? "").host;
});

afterAll(async () => {
  await service?.close();
});

describe("setup", () => {
  it("removes the token from the address", async () => {
    await page.goto(service.facts.setup ?? "");
    await page.getByRole("heading", { name: "Set up Tenax" }).waitFor();
    await expect.poll(() => page.url()).not.toContain("token");
    await checkAccessibility(page);
    await takeScreenshot(page, "setup");
  });

  it("accepts a link that is pasted into the same tab", async () => {
    await page.getByLabel("Setup token").fill("");
    await page.goto(service.facts.setup ?? "");
    const token = service.facts.setup?.split("token=")[1] ?? "";
    await expect.poll(() => page.getByLabel("Setup token").inputValue()).toBe(token);
    await expect.poll(() => page.url()).not.toContain("token");
  });

  it("refuses a short password before it is sent", async () => {
    await page.getByLabel("Name").fill(ADMIN.name);
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByText("At least 12 characters.").waitFor();
    expect(await page.getByRole("button", { name: "Create administrator" }).isDisabled()).toBe(true);
  });

  it("creates the administrator and logs in", async () => {
    await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
    await page.getByLabel("Confirm password").fill(ADMIN.password);
    await page.getByRole("button", { name: "Create administrator" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByTestId("connection").getByText("live").waitFor();
  });

  it("is not offered again", async () => {
    await page.goto("/setup");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });
});

describe("a crawl", () => {
  it("is explained before it starts", async () => {
    await page.goto("/crawl");
    await page.getByLabel("Seeds").fill([...service.facts.seeds, service.facts.hostile].join("\n"));
    await page.getByLabel("Name").fill("fjords");
    await page.getByLabel("Delay").fill("0.1");
    await page.getByText("Starts with 7 seeds on 7 domains.").waitFor();
    await checkAccessibility(page);
    await takeScreenshot(page, "start");
  });

  it("starts and shows its log live", async () => {
    await page.getByRole("button", { name: "Start crawl" }).click();
    await page.getByRole("heading", { name: "Run 1" }).waitFor();
    await page.getByRole("log").getByText("fetched").first().waitFor();
  });

  it("updates the overview", async () => {
    await page.goto("/");
    await waitForContent(page);
    const before = await countOf(page, "tile-pages");
    await expect.poll(() => countOf(page, "tile-pages"), { interval: 100 }).toBeGreaterThan(before);
    await expect.poll(() => countOf(page, "tile-rate"), { interval: 100 }).toBeGreaterThan(0);
  });

  it("shows what is stored within a second", async () => {
    // Retried, because the machine may be busy.
    let isSeen = false;
    for (let tries = 0; tries < 20 && !isSeen; tries += 1) {
      const before = await countOf(page, "tile-pages");
      isSeen = await page
        .waitForFunction(
          (least) =>
            Number(document.querySelector("[data-testid=tile-pages]")?.textContent?.replace(/\D/g, "")) >
            least,
          before,
          { timeout: 1000, polling: 50 },
        )
        .then(() => true)
        .catch(() => false);
    }
    expect(isSeen).toBe(true);
  });

  it("shows up soon after the page is opened", async () => {
    const asked = Date.now();
    await page.goto("/");
    await expect.poll(() => countOf(page, "tile-pages"), { interval: 50 }).toBeGreaterThan(0);
    expect(Date.now() - asked).toBeLessThan(15_000);
  });

  it("is paused and resumed", async () => {
    await page.goto("/runs/1");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "Resume", exact: true }).waitFor();
    await page.getByText("paused", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  });

  it("cannot be started twice", async () => {
    await page.goto("/crawl");
    await page.getByRole("button", { name: "Start crawl" }).click();
    await page
      .getByRole("alert")
      .getByText("A run of the crawl fjords is already running or paused")
      .waitFor();
    monitor.errors.length = 0; // the browser logs the 409
  });
});

describe("a URL", () => {
  it("is entered with the slash key and explained as a chain", async () => {
    await page.goto("/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type(`http://${host}/p/1.html`);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByTestId("because").textContent()).toContain("robots.txt line 3");
    await page.getByText("1 link from a seed").waitFor();
    await waitForContent(page);
    await checkAccessibility(page);
    await takeScreenshot(page, "explain");
  });

  it("is explained on its own screen, too", async () => {
    await page.goto("/explain");
    await page.getByLabel("URL", { exact: true }).fill("javascript:alert(1)");
    await page.getByText("This is not a valid URL.").waitFor();
    await page.getByLabel("URL", { exact: true }).fill(`http://${host}/p/1.html`);
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await expect.poll(() => page.getByTestId("because").textContent()).toContain("robots.txt line 3");
  });

  it("is in the log in full, even on a phone", async () => {
    await page.setViewportSize({ width: 360, height: 720 });
    await page.goto("/runs/1");
    const address = page.getByRole("log").getByText(/^http/).first();
    await address.waitFor();
    expect(await address.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThan(1);
    expect(
      await address.evaluate((element) => element.getBoundingClientRect().right - innerWidth),
    ).toBeLessThan(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("shows the robots.txt rule that applies", async () => {
    await page.goto(`/domains/${host}?tab=robots&path=/p/7.html`);
    const rule = page.locator("li[aria-current=true]");
    await rule.getByText("Disallow: /p/7").waitFor();
    await takeScreenshot(page, "robots");
  });

  it("can be added to the frontier", async () => {
    await page.goto("/frontier");
    await page.getByRole("button", { name: "Add URLs" }).click();
    await page.getByLabel("URLs", { exact: true }).fill(`http://${host}/p/999.html`);
    await page.getByRole("button", { name: "Add 1" }).click();
    await page.getByText("1 of 1 URLs are new.").waitFor();
  });
});

describe("an out-of-scope link", () => {
  it("is counted, and its domain can be hidden", async () => {
    await page.goto("/discovered");
    await page.getByRole("row").getByText("partner.example", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Hide news.example" }).click();
    await page.getByText("news.example was hidden.").waitFor();
    await page.getByRole("row").getByText("news.example", { exact: true }).waitFor({ state: "detached" });
  });
});

describe("a domain", () => {
  it("is blocked by a user, with a reason", async () => {
    const name = new URL(service.facts.seeds[4] ?? "").host;
    await page.goto(`/domains/${name}`);
    await page.getByRole("button", { name: "Block" }).click();
    await page.getByLabel("Reason").fill("asked by its owner");
    await page.getByRole("button", { name: "Block domain" }).click();
    await page.getByText(`${name} is now blocked.`).waitFor();
    await page.getByText("asked by its owner").first().waitFor();
    await page.goto("/domains?status=blocked");
    await page.getByRole("row").getByText(name).waitFor();
  });
});

describe("domain rules", () => {
  it("are set, shown with their origin, validated, and used as a filter", async () => {
    const name = new URL(service.facts.seeds[3] ?? "").host;
    await page.goto(`/domains/${name}`);
    await page.getByRole("button", { name: "Change rules" }).click();
    await page.getByLabel("Concurrent requests").fill("0");
    await page.getByRole("button", { name: "Save rules" }).click();
    await page.getByText(/greater than or equal to 1/).waitFor();
    await page.getByLabel("Concurrent requests").fill("2");
    await page.getByLabel("Delay in seconds").fill("4.5");
    await page.getByLabel("Active: requests may be made").uncheck();
    await takeScreenshot(page, "domain-rules");
    await page.getByRole("button", { name: "Save rules" }).click();
    await page.getByText(`Rules of ${name} saved.`).waitFor();
    await page.getByText("4.5 s (domain rule)").waitFor();
    await page.getByText("2 (domain rule)").waitFor();
    await page.getByText("No requests are made. Its URLs stay queued.").waitFor();
    await page.goto("/domains?status=inactive");
    await page.getByRole("row").getByText(name).waitFor();
    await page.goto(`/domains/${name}?tab=receipt`);
    await page.getByText("Rules set by").waitFor();
    await page.goto(`/domains/${name}`);
    await page.getByRole("button", { name: "Change rules" }).click();
    await page.getByLabel("Concurrent requests").fill("");
    await page.getByLabel("Delay in seconds").fill("");
    await page.getByLabel("Active: requests may be made").check();
    await page.getByRole("button", { name: "Save rules" }).click();
    await page.getByText("1 (setting)").waitFor();
  });

  it("do not affect the filter by site", async () => {
    const name = new URL(service.facts.seeds[3] ?? "").hostname;
    await page.goto("/domains");
    await page.getByLabel("Site").fill(name);
    await page.waitForURL(/site=/);
    await page.getByRole("row").getByText(name).waitFor();
  });
});

describe("hostile pages", () => {
  it("are shown and do not execute", async () => {
    await page.goto("/pages?q=window.owned");
    await page
      .getByRole("link", { name: /<script>window\.owned=1/ })
      .first()
      .click();
    await page.getByRole("heading", { name: /<script>window\.owned=1<\/script>.*⟨202E⟩evil/ }).waitFor();
    await page.goto(`${page.url()}?tab=text`);
    await page.getByText("window.owned=4").waitFor();
    await page.goto(page.url().replace("tab=text", "tab=links"));
    await page.getByRole("row").nth(1).waitFor();
    await page.goto(`/domains/${new URL(service.facts.hostile).host}?tab=robots`);
    await page.getByText("window.owned=3").waitFor();
    expect(await page.evaluate(() => "owned" in window)).toBe(false);
    expect(await page.locator("a[href^='javascript:'], a[href^='data:']").count()).toBe(0);
  });

  it("cannot execute even if they were inserted into the page", async () => {
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.owned = 9";
      document.body.append(script);
      return "owned" in window;
    });
    expect(ran).toBe(false);
    monitor.errors.length = 0; // the browser logs the blocked script
  });

  it("are not links unless they use http or https", async () => {
    await page.goto(`/explain?url=${encodeURIComponent("javascript:alert(1)")}`);
    await page.getByText("not crawlable").waitFor();
    expect(await page.locator("main a[href^='javascript:']").count()).toBe(0);
  });
});

describe("roles", () => {
  it("let an administrator add a user", async () => {
    await page.goto("/users");
    await page.getByRole("button", { name: "Add user" }).click();
    await page.getByLabel("Name").fill(USER.name);
    await page.getByLabel("Password").fill(USER.password);
    await checkAccessibility(page);
    await page.getByRole("dialog").getByRole("button", { name: "Add user" }).click();
    await page.getByText("bob can now log in.").waitFor();
  });

  it("let a user see everything and change nothing", async () => {
    const guest = await service.newContext();
    const other = await guest.newPage();
    await logIn(other, USER);
    expect(await other.getByRole("link", { name: "Start crawl" }).count()).toBe(0);
    expect(await other.getByRole("link", { name: "Users" }).count()).toBe(0);
    await other.goto(`/domains/${host}`);
    await other.getByRole("heading", { name: host }).waitFor();
    expect(await other.getByRole("button", { name: "Block" }).count()).toBe(0);
    for (const path of ["/users", "/audit", "/settings", "/crawl"]) {
      await other.goto(path);
      await other.getByText(/[Oo]nly (for )?administrators/).waitFor();
    }
    const answer = await guest.request.get("/api/v1/users");
    expect(answer.status()).toBe(403);
    await guest.close();
  });

  it("send anonymous visitors to the login page, and back afterwards", async () => {
    const guest = await service.newContext();
    const other = await guest.newPage();
    await other.goto("/domains?status=blocked");
    await other.getByRole("heading", { name: "Log in" }).waitFor();
    await checkAccessibility(other);
    await takeScreenshot(other, "login");
    await other.getByLabel("Name").fill(USER.name);
    await other.getByLabel("Password").fill("wrong password here");
    await other.getByRole("button", { name: "Log in" }).click();
    await other.getByRole("alert").getByText("The name or password is incorrect.").waitFor();
    await other.getByLabel("Password").fill(USER.password);
    await other.getByRole("button", { name: "Log in" }).click();
    await other.waitForURL("**/domains?status=blocked");
    await guest.close();
  });
});

const SCREENS: readonly (readonly [name: string, path: string])[] = [
  ["runs", "/runs"],
  ["run", "/runs/1"],
  ["run-settings", "/runs/1?tab=settings"],
  ["run-workers", "/runs/1?tab=workers"],
  ["frontier", "/frontier"],
  ["domains", "/domains"],
  ["domain", "/domains/HOST"],
  ["receipt", "/domains/HOST?tab=receipt"],
  ["domain-pages", "/domains/HOST?tab=pages"],
  ["pages", "/pages"],
  ["page", "/pages/1"],
  ["page-text", "/pages/1?tab=text"],
  ["page-links", "/pages/1?tab=links"],
  ["page-inbound", "/pages/1?tab=inbound"],
  ["page-versions", "/pages/1?tab=versions"],
  ["urls", "/urls"],
  ["visits", "/visits"],
  ["changes", "/changes"],
  ["workers", "/workers?all=yes"],
  ["discovered", "/discovered"],
  ["exports", "/exports"],
  ["settings", "/settings"],
  ["account", "/account"],
  ["users", "/users"],
  ["audit", "/audit"],
  ["explain-nothing", "/explain"],
  ["overview", "/"],
];

// Similar to a screen that has a screenshot.
const UNSHOWN = [
  "run-settings",
  "run-workers",
  "domain-pages",
  "page-inbound",
  "page-versions",
  "explain-nothing",
  "account",
];

describe("every screen", () => {
  it.each(SCREENS)("%s is accessible, in both themes and on a phone", async (name, path) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(path.replace("HOST", host));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitForContent(page);
    await page.evaluate(() => document.fonts.ready);
    await checkAccessibility(page);
    await checkWidth(page);
    if (!UNSHOWN.includes(name)) await takeScreenshot(page, name);
    await page.emulateMedia({ colorScheme: "dark" });
    await checkAccessibility(page, COLOR_RULES);
    if (name === "overview" || name === "domain") await takeScreenshot(page, `${name}-dark`);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 360, height: 720 });
    await checkWidth(page);
    if (name === "overview" || name === "domains") await takeScreenshot(page, `${name}-phone`);
  });

  it("sends requests only to its own server, without errors", () => {
    expect(monitor.foreignRequests).toEqual([]);
    expect(monitor.errors).toEqual([]);
  });
});

describe("filters", () => {
  it("apply by run, source and day, and report an unknown run", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto("/urls");
    const table = page.getByRole("table", { name: "URLs" });
    await table.getByRole("row").nth(3).waitFor();
    await page.getByLabel("Found since").fill("2099-01-01");
    await page.getByText("No URLs match").waitFor();
    await expect.poll(() => page.url()).toContain("since=2099-01-01");
    await page.goto("/urls?run=1&source=fjords&fate=fetched&until=2099-01-01");
    await table.getByRole("row").nth(2).waitFor();
    await page.getByLabel("Run", { exact: true }).fill("4711");
    await page.getByText("There is no run 4711 in this store.").waitFor();
  });

  it("apply to an export, which reports one that does not fit", async () => {
    await page.goto("/exports?fate=gone&source=fjords");
    await page.getByRole("button", { name: "Export visits" }).click();
    await page.getByText("Visits cannot be filtered by fate").waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export urls" }).click();
    expect((await saving).url()).toContain("blob:");
  });
});

describe("inbound links", () => {
  it("are found for a page, with the number of pages searched", async () => {
    await page.goto("/pages/1?tab=inbound");
    await page.getByRole("table", { name: "Inbound links" }).getByRole("row").nth(1).waitFor();
    await page.getByText(/found among [\d,]+ of [\d,]+ pages of its domain/).waitFor();
  });
});

describe("exports", () => {
  it.each([
    ["JSON lines", "tenax-urls.jsonl"],
    ["Parquet", "tenax-urls.parquet"],
  ])("save a %s file", async (kind, name) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto("/exports");
    await page.getByText(kind, { exact: true }).click();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export urls" }).click();
    expect((await saving).suggestedFilename()).toBe(name);
    await page.getByText(/saved, .* [kM]B/).waitFor();
  });
});

describe("a hundred thousand rows", () => {
  it("can be scrolled to the end, with only visible rows in the DOM", async () => {
    await service.fill();
    await page.goto("/domains?sort=name");
    const table = page.getByRole("table", { name: "Domains" });
    await table.getByRole("row").nth(5).waitFor();
    const end = page.getByText(/^100,00\d rows$/);
    const deadline = Date.now() + 120_000;
    while ((await end.count()) === 0 && Date.now() < deadline) {
      await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForTimeout(20);
    }
    await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await table.getByText(host).or(table.getByText(/fjord/)).first().waitFor();
    expect(await table.getByRole("row").count()).toBeLessThan(80);
    await table.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await table
      .getByText(/domain-0[45]\d{4}\.test/)
      .first()
      .waitFor();
  }, 150_000);
});

describe("a broken stream", () => {
  it("is replaced by polling, and restored", async () => {
    await context.route("**/sse/**", (route) => route.abort());
    await page.goto("/");
    await page.getByTestId("connection").getByText("polling").waitFor();
    await expect.poll(() => countOf(page, "tile-pages")).toBeGreaterThan(0);
    await context.unroute("**/sse/**");
    await page.getByTestId("connection").getByText("live").waitFor();
  });
});

describe("a stopped server", () => {
  it("is reported, and reconnected to when it is back", async () => {
    await page.goto("/");
    await page.getByTestId("connection").getByText("live").waitFor();
    await service.stop();
    await page.getByTestId("connection").getByText("offline").waitFor();
    await service.start();
    await page.getByTestId("connection").getByText("live").waitFor();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });
});
