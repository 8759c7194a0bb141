import { signal } from "@preact/signals";
import { afterEach, expect, test, vi } from "vitest";
import { storedRun } from "../testing/stored";
import type { Options } from "../wire";
import { edit, open, present, start } from "./running";
import { createRunView } from "./runview";

const RUN = "z = 3\n";
const stored = storedRun(RUN);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A server that has made every run before, and answers when it is told to. */
function slow(): () => void {
  let answer = () => {};
  const told = new Promise<void>((resolve) => (answer = resolve));
  vi.stubGlobal("fetch", async (_: string, { method }: RequestInit) => {
    await told;
    const body = method === "POST" ? { id: stored.id, url: "/r/abc", existing: true } : stored;
    return new Response(JSON.stringify(body), { status: 200 });
  });
  return answer;
}

test("what is written while a run is on its way that was made before is not lost", async () => {
  const answer = slow();
  const view = createRunView();
  edit(view, RUN);
  const started = start(view);
  edit(view, `${RUN}more = 4\n`);
  answer();
  await started;
  expect(view.run.value?.id).toBe("abc");
  expect(view.source.value).toBe(`${RUN}more = 4\n`);
});

test("of two runs that are asked for in a row the server hears the last one last", async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  vi.stubGlobal("fetch", async (_: string, { method, body }: RequestInit) => {
    if (method === "POST") {
      asked.push((JSON.parse(String(body)) as { source: string }).source);
      await new Promise<void>((resolve) => answers.push(resolve));
    }
    const answer = method === "POST" ? { id: stored.id, url: "/r/abc", existing: true } : stored;
    return new Response(JSON.stringify(answer), { status: 200 });
  });
  const view = createRunView();
  edit(view, "one = 1\n");
  const first = start(view);
  edit(view, "two = 2\n");
  const second = start(view);
  expect(asked).toEqual(["one = 1\n"]);
  answers[0]!();
  await first;
  await vi.waitFor(() => expect(asked).toEqual(["one = 1\n", "two = 2\n"]));
  answers[1]!();
  await second;
});

test("a run that the server never answers does not hold up the next one for good", async () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: RequestInit) => {
    asked.push((JSON.parse(String(body)) as { source: string }).source);
    return new Promise(() => {});
  });
  const view = createRunView();
  for (const source of ["one = 1\n", "two = 2\n", "three = 3\n"]) {
    edit(view, source);
    void start(view);
  }
  expect(asked).toEqual(["one = 1\n"]);
  expect(view.asking.value).toBe(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual(["one = 1\n", "two = 2\n", "three = 3\n"]);
});

test("the inputs of the run that is shown are not those of a text that has not what they call", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (_: string, { method, body }: RequestInit) => {
    if (method === "POST")
      asked.push((JSON.parse(String(body)) as { options: Options }).options.inputs);
    const answer = method === "POST" ? { id: stored.id, url: "/r/abc", existing: true } : stored;
    return new Response(JSON.stringify(answer), { status: 200 });
  });
  const view = createRunView();
  const run = async (text: string, inputs: string, shown = inputs) => {
    const options = { ...stored.options, inputs: shown };
    present(view, { ...stored, options, source: "def activate(x): ...\n" });
    edit(view, text);
    view.options.value = { ...options, inputs };
    await start(view);
    return asked.at(-1);
  };
  const theirs = "activate(f32[4]); Net(16)(f32[2])";
  expect(await run("def activate(x): ...\nclass Net: ...\n", theirs)).toBe(theirs);
  expect(await run("def mine(x): ...\n", theirs)).toBe("");
  expect(view.options.value.inputs).toBe("");
  expect(await run("def mine(x): ...\n", "f32[4], 8")).toBe("f32[4], 8");
  // What somebody wrote there themselves is asked for, and refused with the reason.
  expect(await run("def mine(x): ...\n", theirs, "")).toBe(theirs);
});

test("one's own text stays while the shared one is run, whichever is shown when the run comes", async () => {
  const answer = slow();
  const view = createRunView();
  edit(view, "mine = 1\n");
  view.shared.value = signal(RUN);
  const started = start(view);
  view.shared.value = null;
  answer();
  await started;
  expect(view.run.value?.id).toBe("abc");
  expect(view.source.value).toBe("mine = 1\n");
});

test("one's own text stays the draft of the run beside which it was written, where another ran", async () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  };
  vi.stubGlobal("window", { localStorage: storage, sessionStorage: storage });
  vi.stubGlobal("addEventListener", () => {});
  const { draftOf, keepDrafts } = await import("./drafts");
  const answer = slow();
  const view = createRunView();
  keepDrafts(view);
  present(view, { ...stored, id: "before" });
  edit(view, "mine = 1\n");
  view.shared.value = signal(RUN);
  const started = start(view);
  answer();
  await started;
  expect(view.run.value?.id).toBe("abc");
  expect(draftOf("before")).toBe("mine = 1\n");
});

/** A server that answers requests for runs when it is told to, each by its id. */
function slowRuns(): (id: string, status?: number) => Promise<void> {
  const asked: Record<string, (answer: Response) => void> = {};
  vi.stubGlobal("fetch", (url: string) => {
    const id = /runs\/(\w+)/.exec(url)![1]!;
    return new Promise<Response>((resolve) => (asked[id] = resolve));
  });
  vi.stubGlobal("location", { hash: "" });
  return async (id, status = 200) => {
    asked[id]!(new Response(JSON.stringify({ ...stored, id }), { status }));
    await vi.waitFor(() => expect(asked[id]).toBeDefined());
    await new Promise((resolve) => setTimeout(resolve));
  };
}

test("of two runs that are opened in a row the last is shown, though the other's answer is late", async () => {
  const answer = slowRuns();
  const view = createRunView();
  void open(view, "first");
  void open(view, "second");
  await answer("second");
  await answer("first");
  expect(view.run.value?.id).toBe("second");
  expect(view.coming.value).toBe(false);
});

test("panes wait for a run that is opened by way of another, whatever becomes of that", async () => {
  const answer = slowRuns();
  const view = createRunView();
  void open(view, "first");
  void open(view, "second");
  await answer("first", 404);
  expect([view.coming.value, view.complaint.value]).toEqual([true, null]);
  await answer("second");
  expect([view.coming.value, view.run.value?.id]).toEqual([false, "second"]);
});

test("a run is asked for again while the server is away, or says that it is asked too often", async () => {
  vi.useFakeTimers();
  const answers = [
    () => Promise.reject(new TypeError("Failed to fetch")),
    async () => new Response("{}", { status: 503 }),
    async () => new Response("{}", { status: 429, headers: { "Retry-After": "5" } }),
    async () => new Response(JSON.stringify(stored), { status: 200 }),
  ];
  const said: (string | null)[] = [];
  const view = createRunView();
  vi.stubGlobal("fetch", () => {
    said.push(view.complaint.value);
    return answers.shift()!();
  });
  await open(view, "abc");
  await vi.advanceTimersByTimeAsync(4000);
  expect(answers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(said).toEqual([
    null,
    "The server does not answer. Check the connection and try again.",
    "The server answered with status 503.",
    "The server answered with status 429.",
  ]);
  expect([view.run.value?.id, view.complaint.value]).toEqual(["abc", null]);
  vi.useRealTimers();
});

test("what is written while a run is on its way to be opened stays", async () => {
  const answer = slowRuns();
  const view = createRunView();
  void open(view, "first");
  edit(view, "mine = 1\n");
  await answer("first");
  expect([view.run.value?.id, view.source.value]).toEqual(["first", "mine = 1\n"]);
});

test("a run that is not there is asked for once", async () => {
  vi.useFakeTimers();
  const fetch = vi.fn(async () => new Response("{}", { status: 404 }));
  vi.stubGlobal("fetch", fetch);
  const view = createRunView();
  await open(view, "abc");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch).toHaveBeenCalledOnce();
  expect(view.complaint.value).toBe("The server answered with status 404.");
  vi.useRealTimers();
});
