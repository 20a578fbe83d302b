/** A service with data, and its administrator in a browser. */

import type { Page } from "playwright-core";
import { ADMIN, logIn, PageMonitor } from "./browser";
import { Service } from "./service";

export interface Session {
  service: Service;
  page: Page;
  monitor: PageMonitor;
}

/** `module`: the Python program that runs the service. */
export async function openSession(module: string): Promise<Session> {
  const service = await Service.open(module);
  const token = service.facts.setup?.split("token=")[1] ?? "";
  await (await service.newContext()).request.post("/api/v1/auth/setup", { data: { token, ...ADMIN } });
  const context = await service.newContext();
  const monitor = new PageMonitor(context, service.facts.url);
  const page = await context.newPage();
  await logIn(page, ADMIN);
  return { service, page, monitor };
}
