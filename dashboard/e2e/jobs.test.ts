/** Another story: sources that are crawled on a schedule. */

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN,
  COLOR_RULES,
  checkAccessibility,
  checkTables,
  checkWidth,
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

beforeAll(async () => {
  service = await Service.open();
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

function seedOf(name: string): string {
  return service.facts.seeds.find((each) => each.includes(name)) ?? "";
}

function button(name: string) {
  return page.getByRole("button", { name, exact: true });
}

/** The browser logs every unsuccessful response. */
function expectOnly(status: number): void {
  expect(monitor.errors.every((each) => each.includes(String(status)))).toBe(true);
  monitor.errors.length = 0;
}

async function waitForEnd(number: number): Promise<void> {
  await page.goto("/jobs/1");
  const row = page.getByRole("row", { name: new RegExp(`^#${number} `) });
  await row.getByText("completed").waitFor();
}

describe("a source", () => {
  it("is missing at first, with a hint what to do", async () => {
    await page.goto("/sources");
    await page.getByText("No sources yet").waitFor();
    await page.getByRole("link", { name: "Add the first source" }).click();
    await page.getByRole("heading", { name: "Add source" }).waitFor();
  });

  it("has validation errors at its fields", async () => {
    await page.getByLabel("Name").fill("Coral news");
    await page.getByLabel("Seeds").fill(seedOf("coral"));
    await page.getByLabel("Exclude URLs matching").fill("(");
    await page.getByLabel("No text from").fill("p:hover");
    await page.getByLabel("Headers", { exact: true }).fill("Host: other.example");
    await button("Add merge rule").click();
    await page.getByLabel("Parameters to ignore").fill("sort, view");
    await page.getByLabel("Applies to").fill("no place");
    await button("Add source").click();
    const pattern = page.getByLabel("Exclude URLs matching");
    await expect.poll(() => pattern.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("Headers", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await page.getByText("Entry 1:").first().waitFor();
    await page.getByText("The selector 'p:hover' cannot be used from ':hover' on").waitFor();
    await page.getByText("Entry 1: 'no place' is not valid here").waitFor();
    await checkAccessibility(page);
    expectOnly(422);
  });

  it("is added with the form, with a warning about its depth", async () => {
    await page.getByLabel("Exclude URLs matching").fill("\\.pdf$");
    await page.getByLabel("No text from").fill(".clock");
    await page.getByLabel("Headers", { exact: true }).fill("");
    await page.getByLabel("Applies to").fill("/list");
    await page.getByLabel("Treat /a and /a/ as one").check();
    await page.getByLabel("Depth").fill("6");
    await page.getByLabel("Delay").fill("0.1");
    await page.getByLabel("Stored pages to revisit").selectOption("all");
    await page.getByText("Runs every 6 hours").waitFor();
    await page.getByLabel("Name").focus();
    await takeScreenshot(page, "source-form");
    await button("Add source").click();
    await page.getByRole("heading", { name: "Coral news" }).waitFor();
    await page.getByText("max_depth is 6").first().waitFor();
    await page.getByText(".clock", { exact: true }).waitFor();
    await page.getByText("ignore sort, view, the trailing slash under /list").waitFor();
    await page.getByText("scheduled", { exact: true }).waitFor();
  });

  it("is changed with the form", async () => {
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Depth").fill("1");
    await button("Save changes").click();
    await page.getByText("Coral news was changed.").waitFor();
    await page.getByRole("main").getByText("max_depth is 6").waitFor({ state: "detached" });
  });
});

describe("a job", () => {
  it("is run now, and its log is shown live", async () => {
    await button("Run now").click();
    await page.getByText("Job 1 starts within seconds").waitFor();
    await page.getByRole("link", { name: "#1" }).click();
    await page.getByRole("heading", { name: "Execution #1" }).waitFor();
    await page.getByRole("log").getByText("fetched").first().waitFor();
    await page.getByRole("link", { name: "Run 1" }).click();
    await page.getByRole("heading", { name: "Run 1" }).waitFor();
    await page.getByRole("link", { name: "Coral news" }).waitFor();
    await waitForEnd(1);
  });

  it("finds changes when it runs again", async () => {
    await service.changePage();
    await button("Run now").click();
    await page.getByText("Job 1 starts within seconds").waitFor();
    await waitForEnd(2);
    await page.getByRole("link", { name: "#2", exact: true }).click();
    const changed = page.locator("dl div").filter({ hasText: /^Changed/ });
    await expect
      .poll(async () => Number((await changed.locator("dd").textContent()) ?? 0))
      .toBeGreaterThan(0);
    await page.goto("/changes?kind=changed");
    await page.getByRole("row").getByText("coral.test").first().waitFor();
  });

  it("shows past executions, next runs and its interval", async () => {
    await page.goto("/jobs/1");
    const past = page.getByRole("list", { name: "Past executions" }).getByRole("link");
    await expect.poll(() => past.count()).toBe(2);
    expect(await page.getByRole("list", { name: "Next runs" }).getByRole("listitem").count()).toBe(8);
    await page.getByText("every 6 hours").first().waitFor();
    await waitForContent(page);
    await takeScreenshot(page, "job");
    await page.goto("/sources/1");
    await page.getByRole("row", { name: /^#2 / }).waitFor();
    await takeScreenshot(page, "source");
    await page.goto("/jobs/1");
  });

  it("is paused and resumed, and offers only the actions of its state", async () => {
    await button("Pause").click();
    await button("Resume").waitFor();
    expect(await button("Run now").count()).toBe(0);
    await button("Resume").click();
    await button("Pause").waitFor();
    expect(await button("Retry").count()).toBe(0);
  });

  it("says why it refuses an outdated action", async () => {
    await page.route("**/api/v1/jobs/1", () => {}); // its state is no longer updated
    const { csrf_token } = await (await context.request.get("/api/v1/auth/session")).json();
    const answer = await context.request.post("/api/v1/jobs/1/pause", {
      headers: { "x-csrf-token": csrf_token },
    });
    expect(answer.status()).toBe(200);
    await button("Pause").click();
    await page.getByText("Job 1 is paused: only a scheduled job can be paused.").waitFor();
    await page.unroute("**/api/v1/jobs/1");
    expectOnly(409);
  });

  it("is cancelled, and another one is added", async () => {
    await page.goto("/jobs/1");
    await button("Cancel").click();
    await button("Cancel job").click();
    await page.getByText("Job 1 was cancelled.").waitFor();
    await page.getByText("cancelled", { exact: true }).first().waitFor();
    expect(await button("Run now").count()).toBe(0);
    await page.goto("/jobs/new");
    await page.getByLabel("Source").selectOption("Coral news");
    await page.getByLabel("Repeat").uncheck();
    await button("Add job").click();
    await page.getByRole("heading", { name: "Job 2" }).waitFor();
    await page.getByText("completed").first().waitFor();
  });

  it("is created again when sources and jobs are reconciled", async () => {
    await page.goto("/sources");
    await button("Reconcile").click();
    await page.getByText("1 created, 0 resumed").waitFor();
    await checkAccessibility(page);
    await button("Close").click();
    await page
      .getByRole("row", { name: /Coral news/ })
      .getByText("scheduled")
      .waitFor();
  });
});

const NAMES = ["Amber", "Birch", "Delta", "Ember", "Fjord"];
const KINDS = ["front page", "archive", "press"];

function fileOf(interval: string): string {
  const sources = NAMES.flatMap((name) =>
    KINDS.map((kind, index) =>
      [
        `- name: ${name} ${kind}`,
        `  seeds: ["${seedOf(name.toLowerCase())}"]`,
        `  enabled: ${kind === "press" && name === "Delta" ? "false" : "true"}`,
        `  limits: {max_depth: 2, max_pages: ${100 * (index + 1)}}`,
        `  schedule: {interval_minutes: ${interval}, interval_type: hours}`,
      ].join("\n"),
    ),
  );
  return `${sources.join("\n")}\n`;
}

describe("a YAML file of sources", () => {
  it("shows errors with their lines, and changes nothing", async () => {
    await page.goto("/sources/yaml");
    const editor = page.getByLabel("YAML");
    await expect.poll(() => editor.inputValue()).toContain("Coral news");
    await editor.fill(fileOf("often"));
    await button("Check").click();
    await page.getByRole("button", { name: /^line 5:/ }).click();
    expect(await button("Apply").isDisabled()).toBe(true);
    const selected = await editor.evaluate((element: HTMLTextAreaElement) =>
      element.value.slice(element.selectionStart, element.selectionEnd),
    );
    expect(selected).toContain("often");
    await checkAccessibility(page);
    expectOnly(422);
  });

  it("shows what it would change, and applies it", async () => {
    await page.getByLabel("YAML").fill(fileOf("3"));
    await button("Check").click();
    await page.getByRole("status").getByText("Amber archive").waitFor();
    await page.getByRole("status").getByText("schedule.interval_minutes").first().waitFor();
    await checkAccessibility(page);
    await takeScreenshot(page, "sources-yaml");
    await button("Apply").click();
    await page.getByText("File applied: 15 changed.").waitFor();
    await page.goto("/sources");
    await page.getByRole("row", { name: /Fjord press/ }).waitFor();
  });

  it("can contain one source", async () => {
    await page.getByRole("link", { name: "Delta press" }).click();
    await page.getByRole("link", { name: "YAML" }).click();
    const editor = page.getByLabel("YAML");
    await expect.poll(() => editor.inputValue()).toContain("Delta press");
    expect(await editor.inputValue()).not.toContain("Amber");
    await button("Enable").click();
    await page.getByText("Delta press is enabled. Its job runs on schedule.").waitFor();
    await button("Remove").click();
    await button("Remove source").click();
    await page.getByText("Delta press was removed.").waitFor();
  });
});

describe("the list of jobs", () => {
  it("has actions, and a cancelled run ends", async () => {
    await page.goto("/jobs?sort=next_run_at");
    await button("Pause: job 16").click();
    await button("Resume: job 16").waitFor();
    await button("Run now: job 9").click();
    await button("Run now: job 12").click();
    const row = page.getByRole("row", { name: /^Job 12 / });
    await row.getByText("running").waitFor();
    await takeScreenshot(page, "jobs");
    await row.getByRole("link", { name: "Job 12" }).click();
    await page.getByRole("link", { name: "#1", exact: true }).click();
    await page.getByRole("log").getByText("fetched").first().waitFor();
    await page.getByText("running", { exact: true }).waitFor();
    const crawled = page
      .locator("dl div")
      .filter({ hasText: /^Crawled/ })
      .locator("dd");
    await expect.poll(async () => Number(await crawled.textContent())).toBeGreaterThan(3);
    await takeScreenshot(page, "execution");
    await page.getByRole("link", { name: /^Run \d+$/ }).click();
    await page.getByText("running", { exact: true }).waitFor();
    const run = page.url();
    await page.goto("/jobs/12");
    await button("Cancel").click();
    await button("Cancel job").click();
    await page.getByText("Job 12 was cancelled.").waitFor();
    await page.goto(run);
    await page.getByText("stopped", { exact: true }).waitFor();
  });
});

describe("concurrent runs", () => {
  const names = ["Left reef", "Right reef"];
  const rowOf = (name: string) =>
    page.getByRole("table", { name: "Active runs" }).getByRole("row").filter({ hasText: name });

  it("are all on the overview, with their sources and numbers", async () => {
    const { csrf_token } = await (await context.request.get("/api/v1/auth/session")).json();
    const headers = { "x-csrf-token": csrf_token };
    for (const name of names) {
      const seed = service.facts.hostile.replace("hostile", name.toLowerCase().replace(" ", "-"));
      // The delay is longer than the test, so that the runs do not end on their own.
      const source = { name, seeds: [seed], delay_s: 600 };
      const answer = await context.request.post("/api/v1/sources", { headers, data: source });
      const { id } = await answer.json();
      const own = await (await context.request.get(`/api/v1/jobs?source_id=${id}`)).json();
      // They do not start again on their own, either.
      await context.request.post(`/api/v1/jobs/${own.items[0].id}/pause`, { headers });
      await context.request.post("/api/v1/jobs", { headers, data: { source_id: id } });
    }
    await page.goto("/");
    for (const name of names) {
      await rowOf(name).getByText("running", { exact: true }).waitFor();
    }
    await page
      .getByTestId("runs-count")
      .getByText(/^\d+ active runs$/)
      .waitFor();
    await checkAccessibility(page);
    // Until workers have joined the newest run, the doctor says that it has none.
    await page.getByText(/^No active workers/).waitFor({ state: "hidden" });
    await takeScreenshot(page, "overview-runs");
  });

  it("are paused, resumed and cancelled individually", async () => {
    const [left, right] = names.map(rowOf) as [ReturnType<typeof rowOf>, ReturnType<typeof rowOf>];
    await left.getByRole("button", { name: /^Pause: run \d+$/ }).click();
    await left.getByText("paused", { exact: true }).waitFor();
    await right.getByText("running", { exact: true }).waitFor();
    await page
      .getByTestId("runs-count")
      .getByText(/^\d+ active runs, 1 paused$/)
      .waitFor();
    await left.getByRole("button", { name: /^Resume: run \d+$/ }).click();
    await left.getByText("running", { exact: true }).waitFor();
    for (const row of [left, right]) {
      await row.getByRole("button", { name: /^Cancel: run \d+$/ }).click();
      await button("Cancel run").click();
      await row.waitFor({ state: "detached" });
    }
    await page.setViewportSize({ width: 360, height: 720 });
    await checkWidth(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe("the scheduler", () => {
  it("shows the next 24 hours as a heat map, and what a rebalance would move", async () => {
    await page.goto("/scheduler");
    const map = page.getByTestId("heat-map");
    await map.waitFor();
    expect(await map.locator("td[title]").count()).toBe(97);
    await page.getByText(/^Score [01]\.\d\d\.$/).waitFor();
    await button("Rebalance…").click();
    await page
      .getByRole("dialog")
      .getByText(/jobs would move|nothing to move/)
      .waitFor();
    await checkAccessibility(page);
    await button("Cancel").click();
  });
});

describe("webhooks", () => {
  it("show their secret once, and their deliveries", async () => {
    await page.goto("/webhooks");
    await button("Add webhook").click();
    await page.getByLabel("Name").fill("chat");
    await page.getByLabel("URL", { exact: true }).fill(`${seedOf("ember")}hook`);
    await checkAccessibility(page);
    await page.getByRole("dialog").getByRole("button", { name: "Add webhook" }).click();
    expect(((await page.getByTestId("secret").textContent()) ?? "").length).toBeGreaterThan(20);
    await button("I have saved it").click();
    await button("Test").click();
    await page.getByText("A test message will be sent within seconds").waitFor();
    await button("New secret for chat").click();
    await checkAccessibility(page);
    await button("Create secret").click();
    expect(((await page.getByTestId("secret").textContent()) ?? "").length).toBeGreaterThan(20);
    await button("I have saved it").click();
    await page.getByRole("link", { name: "chat" }).click();
    await page
      .getByRole("row", { name: /webhook\.test|test/ })
      .nth(0)
      .waitFor();
    await page.getByRole("button", { name: /^Retry delivery \d+$/ }).click();
    await page.getByText("The message will be sent again within seconds.").waitFor();
  });
});

describe("roles", () => {
  it("let a user see everything and change nothing", async () => {
    const { csrf_token } = await (await context.request.get("/api/v1/auth/session")).json();
    const headers = { "x-csrf-token": csrf_token };
    await context.request.post("/api/v1/users", { headers, data: { ...USER, role: "user" } });
    const guest = await service.newContext();
    const other = await guest.newPage();
    await logIn(other, USER);
    for (const path of [
      "/sources",
      "/sources/1",
      "/jobs",
      "/jobs/1",
      "/executions/1",
      "/scheduler",
      "/feeds",
      "/tasks",
    ]) {
      await other.goto(path);
      await other.getByRole("heading", { level: 1 }).waitFor();
      await waitForContent(other);
      const actions = other.getByRole("main").getByRole("button", {
        name: /^(Run now|Pause|Cancel|Disable|Remove|Delete|Reconcile|Rebalance|Replay|Poll now)/,
      });
      expect(await actions.count(), path).toBe(0);
      expect(await other.getByRole("link", { name: /^(Add source|Add job|Edit)$/ }).count(), path).toBe(0);
    }
    await other.goto("/sources/yaml");
    await expect.poll(() => other.getByLabel("YAML").getAttribute("readonly")).not.toBeNull();
    expect(await other.getByRole("button", { name: "Apply" }).count()).toBe(0);
    for (const path of ["/webhooks", "/sources/new", "/jobs/new"]) {
      await other.goto(path);
      await other.getByText(/[Oo]nly (for )?administrators/).waitFor();
    }
    await guest.close();
  });
});

const SCREENS: readonly (readonly [name: string, path: string])[] = [
  ["sources", "/sources"],
  ["source", "/sources/1"],
  ["source-edit", "/sources/1?tab=edit"],
  ["jobs", "/jobs"],
  ["job", "/jobs/1"],
  ["job-definition", "/jobs/1?tab=definition"],
  ["job-edit", "/jobs/3?tab=edit"],
  ["execution", "/executions/2"],
  ["scheduler", "/scheduler"],
  ["feeds", "/feeds"],
  ["tasks", "/tasks"],
  ["dead-letters", "/tasks?tab=dead"],
  ["webhooks", "/webhooks"],
  ["deliveries", "/webhooks/1"],
];
const SHOWN = ["sources", "scheduler", "webhooks"];

describe("every screen", () => {
  it.each(SCREENS)("%s is accessible, in both themes and on a phone", async (name, path) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitForContent(page);
    await checkAccessibility(page);
    await checkWidth(page);
    if (SHOWN.includes(name)) await takeScreenshot(page, name);
    await page.emulateMedia({ colorScheme: "dark" });
    await checkAccessibility(page, COLOR_RULES);
    if (name === "scheduler") await takeScreenshot(page, "scheduler-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 360, height: 720 });
    await checkWidth(page);
    await checkTables(page);
    if (name === "jobs") await takeScreenshot(page, "jobs-phone");
  });

  it("has the actions of a job on a phone, too", async () => {
    await page.setViewportSize({ width: 360, height: 720 });
    await page.goto("/jobs");
    await page
      .getByRole("button", { name: /^Actions: job \d+$/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByRole("button", { name: /^(Run now|Pause|Resume|Retry|Cancel)$/ })
      .first()
      .waitFor();
    await checkWidth(page);
    await checkAccessibility(page);
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  it("sends requests only to its own server, without errors", () => {
    expect(monitor.foreignRequests).toEqual([]);
    expect(monitor.errors).toEqual([]);
  });
});
