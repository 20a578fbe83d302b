/** A real server with a test web, and a browser. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCREENSHOTS = `${ROOT}docs/screenshots`;
// Screens with so much text that a full screenshot would be a large file.
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
const TIMEOUT_MS = 90_000; // the machine may be busy
const CHROMIUM = process.env.DASHBOARD_CHROMIUM ?? "/usr/bin/chromium";

export interface Facts {
  url: string;
  setup: string | null;
  seeds: string[];
  hostile: string;
  data: string;
  /** Seeds of sources with feeds; only with a broker. */
  feeds: string[];
}

export class Service {
  private constructor(
    private readonly process: ChildProcess,
    private readonly answers: AsyncIterator<string>,
    readonly browser: Browser,
    readonly facts: Facts,
  ) {}

  /** `module`: the Python module that runs the servers and accepts commands. */
  static async open(module = "tests.support.dashboard"): Promise<Service> {
    const python = spawn(`${ROOT}.venv/bin/python`, ["-m", module], {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
    const facts = (await send(python, answers, "begin")) as unknown as Facts;
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    return new Service(python, answers, browser, facts);
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.process.stdin?.end();
    await new Promise((done) => this.process.once("exit", done));
  }

  stop(): Promise<unknown> {
    return send(this.process, this.answers, "stop");
  }

  fill(): Promise<unknown> {
    return send(this.process, this.answers, "fill");
  }

  /** Changes the home page of coral.test in the test web. */
  changePage(): Promise<unknown> {
    return send(this.process, this.answers, "change");
  }

  /** Makes the failing pages of fjord.test succeed in the test web. */
  heal(): Promise<unknown> {
    return send(this.process, this.answers, "heal");
  }

  /** Publishes a run that no worker can join, and lets a worker try. */
  async failTask(): Promise<{ task: number; run: number }> {
    const { task, run } = await send(this.process, this.answers, "task");
    return { task: Number(task), run: Number(run) };
  }

  /** Makes it possible to join the run of the task. */
  mendTask(): Promise<unknown> {
    return send(this.process, this.answers, "mend");
  }

  start(): Promise<unknown> {
    return send(this.process, this.answers, "start");
  }

  async newContext(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      baseURL: this.facts.url,
      viewport: { width: 1280, height: 800 },
      colorScheme: "light",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    return context;
  }
}

async function send(
  python: ChildProcess,
  answers: AsyncIterator<string>,
  name: string,
): Promise<Record<string, unknown>> {
  python.stdin?.write(`${JSON.stringify({ order: name })}\n`);
  const { value, done } = await answers.next();
  if (done) throw new Error("The test server has died.");
  return JSON.parse(value);
}

/** Takes a screenshot for the docs, if DASHBOARD_SCREENSHOTS is set: images differ slightly every time. */
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
