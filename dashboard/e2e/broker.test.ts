/** What happens outside of the dashboard: feeds that are polled, and tasks that go through a broker. */

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, checkAccessibility, checkTables, logIn, PageMonitor } from "./browser";
import { Service } from "./service";

let service: Service;
let context: BrowserContext;
let page: Page;
let monitor: PageMonitor;

beforeAll(async () => {
  service = await Service.open("tests.support.dashboard_broker");
  // Wide enough to show all columns.
  context = await service.newContext({ viewport: { width: 1440, height: 800 } });
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

describe("a feed", () => {
  it("is found on a page of its source, polled, and counted with its new URLs", async () => {
    await page.goto("/feeds");
    const row = rowOf(`${service.facts.feeds[0]}news.xml`);
    await row.getByText("Lagoon news").waitFor();
    await row.getByText("active", { exact: true }).waitFor();
    await row.getByText("rss", { exact: true }).waitFor();
    await row.getByRole("cell", { name: "200", exact: true }).waitFor();
    await row.getByRole("cell", { name: "2", exact: true }).waitFor();
    await row.getByRole("link", { name: "Lagoon", exact: true }).waitFor();
  });

  it("says why it failed", async () => {
    const row = rowOf(`${service.facts.feeds[1]}broken.xml`);
    await row.getByText("failing", { exact: true }).waitFor();
    await row.getByText("the server answered 500").waitFor();
    await checkAccessibility(page);
    await checkTables(page);
  });

  it("is filtered by its state", async () => {
    await page.getByLabel("State").selectOption("failing");
    await rowOf("news.xml").waitFor({ state: "detached" });
    await rowOf("broken.xml").waitFor();
  });

  it("is polled on demand", async () => {
    await page.getByRole("button", { name: /^Poll now: feed \d+$/ }).click();
    await page.getByText("The feed will be polled as soon as its domain allows it.").waitFor();
  });
});

describe("a task", () => {
  let task: number;
  let run: number;
  const taskRow = () => page.getByRole("row", { name: new RegExp(`^${task} ${run} `) });

  it("that no worker can run fails, with the reason", async () => {
    ({ task, run } = await service.failTask());
    await page.goto("/tasks");
    await taskRow().getByText("failed", { exact: true }).waitFor();
    await taskRow()
      .getByText(/another version/)
      .waitFor();
    await taskRow().getByText("5×").waitFor();
    await checkAccessibility(page);
    await checkTables(page);
  });

  it("leaves its message as a dead letter", async () => {
    await page.getByRole("link", { name: "Dead letters" }).click();
    await rowOf(`"task_id": ${task},`).getByText("rejected").waitFor();
    await checkAccessibility(page);
  });

  it("is replayed when the cause is fixed, and completes", async () => {
    await service.mendTask();
    await page.goto("/tasks");
    await page.getByRole("button", { name: `Replay task ${task}`, exact: true }).click();
    await page.getByText(`Task ${task} will be published again within seconds.`).waitFor();
    await taskRow().getByText("completed", { exact: true }).waitFor();
    await page.goto(`/runs/${run}`);
    await page.getByText("done", { exact: true }).first().waitFor();
  });
});

it("sends requests only to its own server, without errors", () => {
  expect(monitor.foreignRequests).toEqual([]);
  expect(monitor.errors).toEqual([]);
});
