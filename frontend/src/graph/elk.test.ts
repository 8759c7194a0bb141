import { expect, test, vi } from "vitest";
import { placed } from "./elk";
import type { Drawing } from "./parts";

const NOTHING: Drawing = { boxes: [], lines: [], hulls: [] };

/** The libraries that were begun, with what answers their latest question. */
const libraries: { answer: () => void; isEnded: boolean }[] = [];

vi.stubGlobal("Worker", EventTarget);
vi.mock("elkjs/lib/elk-worker.min.js?url", () => ({ default: "" }));
vi.mock("elkjs/lib/elk-api.js", () => ({
  default: class {
    readonly own = { answer: () => undefined as void, isEnded: false };
    constructor() {
      libraries.push(this.own);
    }
    layout = () => new Promise((answer) => (this.own.answer = () => answer({ id: "graph" })));
    terminateWorker = () => (this.own.isEnded = true);
  },
}));

async function answered(signal?: AbortSignal) {
  const laid = placed(NOTHING, signal);
  libraries.at(-1)!.answer();
  await laid;
}

test("a library that has answered is asked again", async () => {
  await answered();
  await answered();
  expect(libraries.length).toBe(1);
});

test("a library that was ended is not asked again, though its answer was on its way", async () => {
  const nobody = new AbortController();
  const laid = placed(NOTHING, nobody.signal);
  nobody.abort();
  libraries.at(-1)!.answer();
  await laid;
  expect(libraries.at(-1)!.isEnded).toBe(true);
  const before = libraries.length;
  await answered();
  expect(libraries.length).toBe(before + 1);
});
