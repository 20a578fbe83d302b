import { afterEach, describe, expect, it, vi } from "vitest";
import { call, formatPath, Problem, setCsrfToken, setStale } from "./client";

afterEach(() => {
  vi.unstubAllGlobals();
  setCsrfToken(null);
  setStale(() => {});
});

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const ask = vi.fn(async () => new Response(JSON.stringify(body), { status, headers }));
  vi.stubGlobal("fetch", ask);
  return ask;
}

describe("a URL", () => {
  it("escapes path parameters", () => {
    expect(
      formatPath("/domains/{name}/robots", { name: "../users?x" }, { path: "/a&b", q: "", none: undefined }),
    ).toBe("/domains/..%2Fusers%3Fx/robots?path=%2Fa%26b");
  });

  it("repeats a parameter with several values", () => {
    expect(formatPath("/changes", {}, { kind: ["new", "gone"] })).toBe("/changes?kind=new&kind=gone");
  });
});

describe("a request", () => {
  it("sends the CSRF token only with changes", async () => {
    const ask = answer(200, {});
    setCsrfToken("secret");
    await call("get", "/api/v1/stats");
    await call("post", "/api/v1/frontier/recover");
    const headers = ask.mock.calls.map((each) => (each as unknown as [string, RequestInit])[1].headers);
    expect(headers[0]).not.toHaveProperty("x-csrf-token");
    expect(headers[1]).toHaveProperty("x-csrf-token", "secret");
  });

  it("throws the server's error", async () => {
    answer(429, { detail: "Too many requests.", faults: [] }, { "retry-after": "7" });
    await expect(call("get", "/api/v1/stats")).rejects.toMatchObject({
      status: 429,
      detail: "Too many requests.",
      retryAfter_s: 7,
    });
  });

  it("handles a response that is not from the API", async () => {
    vi.stubGlobal("fetch", async () => new Response("<html>bad gateway", { status: 502 }));
    await expect(call("get", "/api/v1/stats")).rejects.toMatchObject({ status: 502 });
  });

  it("recognizes a server that does not respond", async () => {
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("network");
    });
    const error = await call("get", "/api/v1/stats").catch((each: unknown) => each);
    expect(error instanceof Problem && error.isOffline).toBe(true);
  });

  it("reloads the session when it has ended", async () => {
    const stale = vi.fn();
    setStale(stale);
    answer(401, { detail: "Log in." });
    await call("get", "/api/v1/stats").catch(() => {});
    expect(stale).toHaveBeenCalledOnce();
  });
});
