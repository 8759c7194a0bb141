import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { history } from "../../store/history";
import { createRunView } from "../../store/runview";
import { aside, forgetAside, makeRoom, recallAside } from "./aside";

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
}

beforeEach(() => {
  vi.stubGlobal("window", { localStorage: storage(), sessionStorage: storage() });
  onTestFinished(() => void vi.unstubAllGlobals());
  [aside.value, history.value] = [[], []];
});

const past = () => history.value.map(({ text }) => text);

function putAside(...texts: string[]): void {
  const view = createRunView();
  for (const text of texts) {
    view.source.value = text;
    makeRoom(view, "handed = 1");
  }
}

test("what was put aside is in the history of who leaves, the newest first", () => {
  putAside("x = 1", "y = 2");
  forgetAside();
  expect(aside.value).toEqual([]);
  expect(past()).toEqual(["y = 2", "x = 1"]);
});

test("so is what any tab of the room had put aside, where the workshop has ended", () => {
  recallAside("k7mq-2p9x");
  putAside("x = 1");
  recallAside("another");
  expect(aside.value).toEqual([]);
  recallAside("k7mq-2p9x");
  forgetAside();
  expect(past()).toEqual(["x = 1"]);
});

test("what there is no room for any more is in the history too", () => {
  putAside(...Array.from({ length: 21 }, (_, at) => `x = ${at}`));
  expect(aside.value).not.toContain("x = 0");
  expect(past()).toEqual(["x = 0"]);
});
