/** A client for the API, typed by its OpenAPI document. Any response other than success is thrown as a `Problem`. */

import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;
export type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, infer O> ? (O extends object ? P : never) : never;
}[keyof paths];

type Parameters_<O> = O extends { parameters: infer A } ? A : never;
type PathOf<O> = Parameters_<O> extends { path: infer A } ? A : undefined;
export type QueryOf<O> = Parameters_<O> extends { query?: infer A } ? A : undefined;
type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer A } } } ? A : undefined;
type Answers<O> = O extends { responses: infer A } ? A : never;
type JsonOf<A> = A extends { content: { "application/json": infer J } } ? J : undefined;
export type AnswerOf<O> =
  Answers<O> extends infer A
    ? A extends { 200: infer S }
      ? JsonOf<S>
      : A extends { 201: infer S }
        ? JsonOf<S>
        : A extends { 202: infer S }
          ? JsonOf<S>
          : undefined
    : never;
export type Answer<P extends keyof paths, M extends Method = "get"> = AnswerOf<Operation<P, M>>;
export type Query<P extends keyof paths> = NonNullable<QueryOf<Operation<P, "get">>>;

export interface Options<O> {
  path?: PathOf<O>;
  query?: QueryOf<O>;
  body?: BodyOf<O>;
  signal?: AbortSignal;
}

export interface Fault {
  where: string;
  message: string;
}

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly faults: readonly Fault[] = [],
    readonly retryAfter_s: number | null = null,
  ) {
    super(detail);
    this.name = "Problem";
  }

  /** There was no response at all. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

const TIMEOUT_MS = 20_000;

let csrfToken: string | null = null;
let onStale: () => void = () => {};

export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Sets the handler for responses which say that the session has ended or has been replaced. */
export function setStale(handle: () => void): void {
  onStale = handle;
}

export async function call<M extends Method, P extends PathsOf<M>>(
  method: M,
  path: P,
  options: Options<Operation<P, M>> = {},
): Promise<Answer<P, M>> {
  const response = await ask(method, formatPath(path, options.path, options.query), options);
  if (response.status === 204) return undefined as Answer<P, M>;
  return (await response.json()) as Answer<P, M>;
}

/** For the YAML editor. */
export async function sendYaml<P extends PathsOf<"post">>(
  path: P,
  text: string,
  query: QueryOf<Operation<P, "post">>,
): Promise<Answer<P, "post">> {
  const response = await ask("post", formatPath(path, undefined, query), { yaml: text });
  return (await response.json()) as Answer<P, "post">;
}

export async function callText(path: string, signal?: AbortSignal): Promise<string> {
  const response = await ask("get", path, signal ? { signal } : {});
  return response.text();
}

async function ask(
  method: Method,
  address: string,
  options: { body?: unknown; yaml?: string; signal?: AbortSignal },
): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json, text/plain;q=0.9" };
  if (method !== "get" && csrfToken) headers["x-csrf-token"] = csrfToken;
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (options.yaml !== undefined) headers["content-type"] = "application/yaml";
  const body = options.yaml ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(address, {
      method: method.toUpperCase(),
      headers,
      credentials: "same-origin",
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, "The server does not respond. Retrying automatically.");
  }
  if (!response.ok) throw await readProblem(response);
  return response;
}

async function readProblem(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get("retry-after"));
  let detail = `The server returned status ${response.status}.`;
  let faults: Fault[] = [];
  try {
    const body = (await response.json()) as { detail?: string; faults?: Fault[] };
    detail = body.detail ?? detail;
    faults = body.faults ?? [];
  } catch {
    // The body is not the API's: a proxy responded.
  }
  if (response.status === 401 || (response.status === 403 && detail.includes("X-CSRF-Token"))) onStale();
  return new Problem(response.status, detail, faults, retryAfter > 0 ? retryAfter : null);
}

export function formatPath(path: string, parts?: unknown, query?: unknown): string {
  const named = (parts ?? {}) as Record<string, string | number>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(named[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") search.append(name, String(each));
    }
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}
