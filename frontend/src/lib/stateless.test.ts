import { expect, test } from "vitest";
import { DEFAULT_OPTIONS, MAX_SOURCE_BYTES, type Options } from "../wire";
import { isStateless } from "./fragment";
import { packed, unpacked } from "./stateless";

const SOURCE = "import torch\n\ndef f(x):\n    return x.relu()  # ü 漢\n";
const OPTIONS: Options = { ...DEFAULT_OPTIONS, trials_first: [3, 9], measure: false };

test("a snippet and its options come out as they went in", async () => {
  const fragment = await packed({ source: SOURCE, options: OPTIONS });
  expect(isStateless(fragment)).toBe(true);
  expect(fragment).toMatch(/^#snippet=[\w-]+$/);
  expect(await unpacked(fragment)).toEqual({ ok: true, source: SOURCE, options: OPTIONS });
});

test("a long snippet is shorter as an address than it is", async () => {
  const source = "y = x + 1  # the same once more\n".repeat(3000);
  const fragment = await packed({ source, options: DEFAULT_OPTIONS });
  expect(fragment.length).toBeLessThan(source.length / 20);
  expect(await unpacked(fragment)).toMatchObject({ ok: true, source });
});

test("an address that was cut is refused with a sentence", async () => {
  const fragment = await packed({ source: SOURCE, options: OPTIONS });
  for (const cut of [fragment.slice(0, -5), "#snippet=", "#snippet=%%%", "#snippet=e30"])
    expect(await unpacked(cut)).toEqual({ ok: false, error: expect.stringContaining("damaged") });
});

test("what unpacks to more than a snippet may be is refused", async () => {
  const source = "#".repeat(2 * MAX_SOURCE_BYTES);
  const fragment = await packed({ source, options: DEFAULT_OPTIONS });
  expect(await unpacked(fragment)).toMatchObject({ ok: false });
});

test("options of no known name or kind are left as usual", async () => {
  const options = { ...OPTIONS, compilers: 5, overrides: [{}], evil: "x" } as unknown as Options;
  const found = await unpacked(await packed({ source: SOURCE, options }));
  expect(found).toEqual({ ok: true, source: SOURCE, options: OPTIONS });
});
