import { signal } from "@preact/signals";
import { afterEach, expect, test, vi } from "vitest";
import { storedRun } from "../testing/stored";
import { edit, present, start } from "./running";
import { createRunView } from "./runview";

const RUN = "z = 3\n";
const stored = storedRun(RUN);

afterEach(() => void vi.unstubAllGlobals());

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
