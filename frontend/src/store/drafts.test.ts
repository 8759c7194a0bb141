import { batch } from "@preact/signals";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { storedRun } from "../testing/stored";
import { draftOf, keepDrafts } from "./drafts";
import { edit, present } from "./running";
import { createRunView } from "./runview";

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
}

const stored = storedRun("y = 2\n");

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", { localStorage: storage(), sessionStorage: storage() });
  vi.stubGlobal("addEventListener", () => {});
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
});

/** A view of the front page, on its example. */
function onTheExample() {
  const view = createRunView();
  keepDrafts(view);
  batch(() => {
    present(view, { ...stored, id: "example" });
    view.front.value = true;
  });
  return view;
}

test("what was written on the front page is still there when a run was opened by its link", () => {
  const before = createRunView();
  keepDrafts(before);
  edit(before, "x = 1\n");
  vi.runAllTimers();
  const opened = createRunView();
  keepDrafts(opened);
  present(opened, stored);
  vi.runAllTimers();
  expect(draftOf(null)).toBe("x = 1\n");
});

test("what is written over the example is the front page's, whatever is written elsewhere then", () => {
  const view = onTheExample();
  edit(view, "A = 1\n");
  vi.runAllTimers();
  present(view, stored);
  edit(view, "beside = 2\n");
  vi.runAllTimers();
  expect(draftOf(null)).toBe("A = 1\n");
  expect(draftOf(stored.id)).toBe("beside = 2\n");
  expect(draftOf("example")).toBe(null);
});

test("an edit of the example that was taken back does not come again", () => {
  const view = onTheExample();
  edit(view, "A = 1\n");
  vi.runAllTimers();
  edit(view, stored.source);
  vi.runAllTimers();
  expect(draftOf(null)).toBe(null);
});
