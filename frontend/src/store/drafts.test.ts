import { expect, onTestFinished, test, vi } from "vitest";
import { DEFAULT_OPTIONS, EMPTY_REPORT } from "../wire";
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

const stored = {
  id: "abc",
  state: "done",
  source: "y = 2\n",
  options: DEFAULT_OPTIONS,
  report: EMPTY_REPORT,
  seq: 1,
  finished: "2026-01-01T00:00:00Z",
  seconds: 1,
  ahead: null,
  wait_s: null,
  shared: false,
} as const;

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
