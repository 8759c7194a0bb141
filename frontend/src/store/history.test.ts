import { beforeEach, expect, test, vi } from "vitest";
import { forget, history, MOST, MOST_CHARACTERS, remember } from "./history";
import type { Example } from "../lib/gallery";
import { examples } from "./page";

const storage = new Map<string, string>();

beforeEach(() => {
  storage.clear();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key),
    },
  });
});

const texts = (): string[] => history.value.map(({ text }) => text);

test("the newest is first, and each is there once", () => {
  for (const text of ["a", "b", "a"]) remember(text);
  expect(texts()).toEqual(["a", "b"]);
});

test("what is blank or an example is not kept", () => {
  examples.value = [{ source: "e = 1" } as Example];
  for (const text of [" \n", "e = 1", "x"]) remember(text);
  expect(texts()).toEqual(["x"]);
});

test("no more are kept than thirty, and no more than there is room for", () => {
  for (let at = 0; at < MOST + 5; at++) remember(`x = ${at}`);
  expect(texts()).toHaveLength(MOST);
  remember("y".repeat(MOST_CHARACTERS - 20));
  expect(texts()).toHaveLength(4);
});

test("one can be taken away", () => {
  for (const text of ["a", "b"]) remember(text);
  forget(history.value[0]!);
  expect(texts()).toEqual(["a"]);
});
