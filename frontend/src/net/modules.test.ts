import { expect, it, vi } from "vitest";
import { fetching } from "./modules";

const MISSED = new TypeError(
  "Failed to fetch dynamically imported module: http://here/assets/TextView-abc.js",
);

it("asks for a module that could not be had by an address of which nothing is remembered", async () => {
  const load = vi.fn(() => Promise.reject(MISSED));
  const at = vi.fn(async (_: string): Promise<unknown> => ({ here: true }));
  at.mockRejectedValueOnce(MISSED);
  const fetched = fetching<unknown>(load, at);
  await expect(fetched()).rejects.toBe(MISSED);
  await expect(fetched()).rejects.toBe(MISSED);
  await expect(fetched()).resolves.toEqual({ here: true });
  expect(load).toHaveBeenCalledOnce();
  expect(at.mock.calls.map(([address]) => address)).toEqual([
    "http://here/assets/TextView-abc.js?again=1",
    "http://here/assets/TextView-abc.js?again=2",
  ]);
});

it("asks in the same way again where the browser does not say what was missing", async () => {
  const load = vi.fn(async () => 1).mockRejectedValueOnce(new Error("no network"));
  const fetched = fetching(load);
  await expect(fetched()).rejects.toThrow("no network");
  await expect(fetched()).resolves.toBe(1);
});
