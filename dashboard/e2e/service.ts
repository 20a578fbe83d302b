/** The real thing to look at: a server with its web, and a browser before it. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCREENSHOTS = `${ROOT}docs/screenshots`;
// So full of text that a whole screen of it is large.
const DENSE = [
  "pages",
  "domain-pages",
  "changes",
  "visits",
  "urls",
  "run",
  "frontier",
  "execution",
  "sources",
  "sources-yaml",
  "jobs",
];
const PATIENCE_MS = 90_000; // the machine may be busy
const CHROMIUM = process.env.DASHBOARD_CHROMIUM ?? "/usr/bin/chromium";

export interface Facts {
  url: string;
  setup: string | null;
  seeds: string[];
  hostile: string;
  data: string;
  /** Seeds of sources with feeds; only where there is a broker. */
  feeds: string[];
}

export class Service {
  private constructor(
    private readonly process: ChildProcess,
    private readonly answers: AsyncIterator<string>,
    readonly browser: Browser,
    readonly facts: Facts,
  ) {}

  /** `module`: of the Python that has the servers, and knows which orders there are. */
  static async open(module = "tests.support.dashboard"): Promise<Service> {
    const python = spawn(`${ROOT}.venv/bin/python`, ["-m", module], {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
    const facts = (await request(python, answers, "begin")) as unknown as Facts;
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    return new Service(python, answers, browser, facts);
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.process.stdin?.end();
    await new Promise((done) => this.process.once("exit", done));
  }

  stop(): Promise<unknown> {
    return request(this.process, this.answers, "stop");
  }

  fill(): Promise<unknown> {
    return request(this.process, this.answers, "fill");
  }

  /** Of the test web: coral.test has another home page from now on. */
  changePage(): Promise<unknown> {
    return request(this.process, this.answers, "change");
  }

  /** Of the test web: the pages of fjord.test that failed are well. */
  heal(): Promise<unknown> {
    return request(this.process, this.answers, "heal");
  }

  /** A run that no worker can join is published, and a worker tries. */
  async failTask(): Promise<{ task: number; run: number }> {
    const { task, run } = await request(this.process, this.answers, "task");
    return { task: Number(task), run: Number(run) };
  }

  /** The run of the task can be joined. */
  mendTask(): Promise<unknown> {
    return request(this.process, this.answers, "mend");
  }

  start(): Promise<unknown> {
    return request(this.process, this.answers, "start");
  }

  async newContext(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      baseURL: this.facts.url,
      viewport: { width: 1280, height: 800 },
      colorScheme: "light",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  }
}

async function request(
  python: ChildProcess,
  answers: AsyncIterator<string>,
  name: string,
): Promise<Record<string, unknown>> {
  python.stdin?.write(`${JSON.stringify({ order: name })}\n`);
  const { value, done } = await answers.next();
  if (done) throw new Error("The server of the tests has died.");
  return JSON.parse(value);
}

/** For the docs, when they are asked for: pictures differ a little every time. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.DASHBOARD_SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const size = page.viewportSize();
  const clip = DENSE.includes(name) && size ? { x: 0, y: 0, width: size.width, height: 580 } : undefined;
  await page.screenshot({
    path: `${SCREENSHOTS}/${name}.png`,
    animations: "disabled",
    ...(clip ? { clip } : {}),
  });
}
