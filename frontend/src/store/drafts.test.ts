import { expect, onTestFinished, test, vi } from "vitest";
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

test("what was written on the front page is still there when a run was opened by its link", () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  vi.stubGlobal("window", { localStorage: storage(), sessionStorage: storage() });
  vi.stubGlobal("addEventListener", () => {});
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
