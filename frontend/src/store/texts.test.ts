import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fetched, forgetAll, MOST_BYTES, retry } from "./texts";

const stored = (sha256: string) => ({ sha256, bytes: 10, lines: 1, spans: [] });

const answer = (text: string) => new Response(JSON.stringify({ text, nodes: [[1]] }));

const settled = () => new Promise((resolve) => setTimeout(resolve));

const requests = vi.fn<(url: string) => Promise<Response>>();

beforeEach(() => vi.stubGlobal("fetch", requests));

afterEach(() => {
  forgetAll();
  requests.mockReset();
  vi.unstubAllGlobals();
});

describe("texts that are looked at", () => {
  it("are asked for once, and come with their line map", async () => {
    requests.mockImplementation(async () => answer("x = 1"));
    const entry = fetched("r1", stored("a"));
    expect(entry.value.state).toBe("coming");
    expect(fetched("r1", stored("a"))).toBe(entry);
    await settled();
    expect(entry.value).toEqual({ state: "here", text: { text: "x = 1", nodes: [[1]] } });
    expect(requests.mock.calls).toEqual([["/api/v1/runs/r1/texts/a"]]);
  });

  it("say why they cannot be had, and are asked for again on request", async () => {
    requests.mockRejectedValueOnce(new TypeError("offline"));
    requests.mockImplementation(async () => answer("here"));
    const entry = fetched("r1", stored("a"));
    await settled();
    expect(entry.value).toMatchObject({
      state: "failed",
      error: expect.stringContaining("does not answer"),
    });
    retry("r1", stored("a"));
    await settled();
    expect(entry.value.state).toBe("here");
  });

  it("are dropped when many others were looked at since", async () => {
    const long = "x".repeat(MOST_BYTES / 8);
    requests.mockImplementation(async () => answer(long));
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      fetched("r1", stored(name));
      await settled();
      fetched("r1", stored("a"));
    }
    requests.mockClear();
    fetched("r1", stored("a"));
    fetched("r1", stored("f"));
    expect(requests).not.toHaveBeenCalled();
    fetched("r1", stored("b"));
    expect(requests).toHaveBeenCalledOnce();
  });
});
