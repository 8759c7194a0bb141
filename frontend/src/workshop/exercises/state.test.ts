import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Exercise } from "../../net/exercises";
import type { Room } from "../../net/workshop";
import { open, setOptions, start } from "../../store/running";
import { createRunView } from "../../store/runview";
import { storedRun } from "../../testing/stored";
import { DEFAULT_OPTIONS } from "../../wire";
import { problem, room } from "../room/attending";
import { check, checked as underWay, doing, load } from "./state";

const SOURCE = "import torch\n";
const needs = { measure: false, insides: [], compilers: ["core" as const] };
const exercise = { name: "one", call: "f(f32[8])" } as unknown as Exercise;
const checked = { ...storedRun(SOURCE), options: { ...DEFAULT_OPTIONS, ...needs } };

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  };
}

beforeEach(() => {
  vi.stubGlobal("window", { localStorage: storage(), sessionStorage: storage() });
  vi.stubGlobal("fetch", async (url: string, { method }: RequestInit) => {
    const made = { id: "abc", url: "/r/abc", existing: true };
    const runs = method === "POST" ? made : checked;
    const isOfRoom = url.includes("/workshops/") && !url.endsWith("/runs");
    const body = isOfRoom ? { exercises: [], pending: false } : runs;
    return new Response(JSON.stringify(body), { status: 200 });
  });
  room.value = { code: "k7mq-2p9x" } as Room;
  onTestFinished(() => {
    vi.unstubAllGlobals();
    room.value = null;
  });
});

/** The page after a reload, at the address of the run. */
async function reloaded() {
  const view = createRunView();
  await open(view, "abc");
  return view;
}

async function checking(compilers: ("core" | "inductor")[]) {
  const view = createRunView();
  view.source.value = SOURCE;
  setOptions(view, { compilers });
  await check(view, exercise);
  return view;
}

test("what was chosen for runs is chosen after a check, and after a reload", async () => {
  const view = await checking(["core", "inductor"]);
  expect(view.options.value.compilers).toEqual(["core", "inductor"]);
  const { options } = await reloaded();
  expect(options.value).toMatchObject({ compilers: ["core", "inductor"], measure: true });
});

test("the same run asked for by hand is as it was chosen", async () => {
  const view = await checking(["core", "inductor"]);
  setOptions(view, needs);
  await start(view);
  expect((await reloaded()).options.value).toEqual(checked.options);
});

const PENDING = { pending: true, results: [], ahead: 3, wait_s: 5, waits_for: "" };
const BUSY = { status: 503, headers: { "Retry-After": "5" } };

test.each([
  ["line is lost is made when it is back", () => Promise.reject(new TypeError()), "Not connected"],
  [
    "server has others' before it waits",
    async () => new Response("{}", BUSY),
    "Others have theirs",
  ],
  [
    "comparison waits says how many are before it",
    async () => new Response(JSON.stringify(PENDING)),
    "hidden inputs: 3 runs before it, begins in about 5 s",
  ],
])("a check whose %s", async (_, refused, told) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answered = fetch;
  let attempts = 0;
  vi.stubGlobal("fetch", async (url: string, asked: RequestInit) => {
    if (url.endsWith("/attempts") && ++attempts < 3) return refused();
    return answered(url, asked);
  });
  const view = checking(["core"]);
  await vi.advanceTimersByTimeAsync(500);
  expect(doing.value).toContain(told);
  expect(underWay.value).toBe("one");
  await vi.advanceTimersByTimeAsync(5000);
  await view;
  expect([attempts, doing.value, underWay.value, problem.value]).toEqual([3, "", "", null]);
});

test("a check that was begun before a reload goes on", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const last = {
    run: "abc",
    pending: true,
    runs: true,
    results: [],
    ahead: null,
    wait_s: null,
    waits_for: "",
  };
  let asked = 0;
  vi.stubGlobal("fetch", async (url: string, { body }: RequestInit) => {
    if (!url.endsWith("/attempts"))
      return new Response(
        JSON.stringify({ exercises: [{ ...exercise, last: { ...last, pending: asked < 3 } }] }),
      );
    expect([url.split("/").at(-2), JSON.parse(body as string)]).toEqual(["one", { run: "abc" }]);
    const now = [last, { ...last, runs: false }, { ...last, pending: false }][asked++];
    return new Response(JSON.stringify(now));
  });
  const all = load();
  const told = [];
  for (let at = 0; at < 3; at++) {
    await vi.advanceTimersByTimeAsync(at === 0 ? 10 : 1000);
    told.push(doing.value);
  }
  await all;
  expect(told[0]).toContain("Your run goes on");
  expect(told[1]).toContain("hidden inputs");
  expect([told[2], asked, problem.value]).toEqual(["", 3, null]);
});

test("a check goes on where its run is shown no more, as to who follows", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.stubGlobal("location", { protocol: "http:", host: "localhost" });
  vi.stubGlobal("WebSocket", class {});
  vi.stubGlobal("addEventListener", () => undefined);
  const answered = fetch;
  let state = "running";
  const attempts: unknown[] = [];
  vi.stubGlobal("fetch", async (url: string, asked: RequestInit) => {
    if (url.endsWith("/attempts")) attempts.push(asked.body);
    const answer = await answered(url, asked);
    if (asked.method === "POST" || !url.includes("/runs/")) return answer;
    return new Response(JSON.stringify({ ...(await answer.json()), state }), { status: 200 });
  });
  const view = createRunView();
  view.source.value = SOURCE;
  const all = check(view, exercise);
  await vi.advanceTimersByTimeAsync(100);
  view.run.value = { ...view.run.value!, id: "led" };
  await vi.advanceTimersByTimeAsync(2000);
  expect([doing.value.includes("goes on"), attempts.length]).toEqual([true, 0]);
  state = "done";
  await vi.advanceTimersByTimeAsync(2000);
  await all;
  expect([attempts.length, doing.value]).toEqual([1, ""]);
});
