import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { applyUpdate, encodeStateAsUpdate } from "yjs";
import { Copy } from "./copy";
import { Unsent } from "./unsent";

const CODE = "k7mq-2p9x";

type Values = Record<string, string>;

/** As a browser's: its entries are its own enumerable properties, and it has room for so much. */
function storage(room = Infinity): Values {
  const acts = {
    getItem(this: Values, key: string) {
      return this[key] ?? null;
    },
    setItem(this: Values, key: string, value: string) {
      if (value.length > room) throw new DOMException("QuotaExceededError");
      this[key] = value;
    },
    removeItem(this: Values, key: string) {
      delete this[key];
    },
  };
  return Object.create(acts) as Values;
}

let kept: Values;

beforeEach(() => {
  vi.stubGlobal("window", { localStorage: (kept = storage()) });
  onTestFinished(() => void vi.unstubAllGlobals());
});

function written(text: string) {
  const copy = new Copy();
  copy.text.insert(0, text);
  return { id: copy.doc.clientID, all: encodeStateAsUpdate(copy.doc) };
}

function merged(unsent: Unsent): string {
  const copy = new Copy();
  for (const update of unsent.left()) applyUpdate(copy.doc, update);
  return copy.text.toString();
}

test("two tabs of a seat keep their own, and the next has both until the server does", () => {
  const one = written("x = 1\n");
  const other = written("y = 2\n");
  expect(new Unsent(CODE, 3).keep(one.id, one.all)).toBe(true);
  expect(new Unsent(CODE, 3).keep(other.id, other.all)).toBe(true);
  const next = new Unsent(CODE, 3);
  expect(merged(next).split("\n").sort()).toEqual(["", "x = 1", "y = 2"]);
  expect(new Unsent(CODE, 4).left()).toEqual([]);
  next.forgetLeft();
  expect(Object.keys(kept)).toEqual([]);
});

test("what another tab has written meanwhile stays", () => {
  const before = written("x = 1");
  const tab = new Unsent(CODE, 3);
  tab.keep(before.id, before.all);
  const next = new Unsent(CODE, 3);
  tab.keep(before.id, written("x = 1; y = 2").all);
  next.forgetLeft();
  expect(merged(new Unsent(CODE, 3))).toBe("x = 1; y = 2");
});

test("nothing is kept of what is on the server, nor for longer than 30 days", () => {
  const { id, all } = written("x = 1");
  const tab = new Unsent(CODE, 3);
  tab.keep(id, all);
  expect(tab.keep(id, null)).toBe(true);
  expect(Object.keys(kept)).toEqual([]);
  tab.keep(id, all);
  vi.useFakeTimers({ now: Date.now() + 31 * 24 * 3600e3 });
  onTestFinished(() => void vi.useRealTimers());
  expect(new Unsent(CODE, 3).left()).toEqual([]);
  expect(Object.keys(kept)).toEqual([]);
});

test("what does not fit is said to be unsafe", () => {
  vi.stubGlobal("window", { localStorage: storage(10) });
  const { id, all } = written("x = 1");
  expect(new Unsent(CODE, 3).keep(id, all)).toBe(false);
  expect(new Unsent(CODE, 3).keep(id, new Uint8Array(2 ** 21))).toBe(false);
});
