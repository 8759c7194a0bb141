import { signal } from "@preact/signals";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Result } from "../../net/api";
import type { Room } from "../../net/workshop";
import { createRunView } from "../../store/runview";
import { storedRun } from "../../testing/stored";
import { changed, isEditing, ownRun, room } from "./attending";
import { follows, setFollows } from "./following";

const at = (page: number) => ({ ok: true, value: { deck: { page } } }) as unknown as Result<Room>;
const seated = (follows: boolean) =>
  ({ code: "k7mq-2p9x", you: 1, seats: [{ id: 1, follows }] }) as unknown as Room;
const page = () => room.value?.deck?.page;

test("the answer to a change is the room from then on", async () => {
  await changed(Promise.resolve(at(1)));
  expect(page()).toBe(1);
});

test("two changes that are answered in order are both taken, whenever they were asked for", async () => {
  await Promise.all([changed(Promise.resolve(at(1))), changed(Promise.resolve(at(0)))]);
  expect(page()).toBe(0);
});

test("an answer that is overtaken by a later one takes nobody back", async () => {
  let arrive = (_: Result<Room>) => {};
  const late = changed(new Promise<Result<Room>>((resolve) => (arrive = resolve)));
  await changed(Promise.resolve(at(3)));
  arrive(at(2));
  await late;
  expect(page()).toBe(3);
});

test("whoever presses twice before an answer follows as before, for the server too", async () => {
  const asked: boolean[] = [];
  vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => {
    asked.push((JSON.parse(body) as { follows: boolean }).follows);
    return new Response(JSON.stringify(seated(asked.at(-1)!)));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  room.value = seated(false);
  const first = setFollows(!follows.value);
  expect(follows.value).toBe(true);
  void setFollows(!follows.value);
  expect(follows.value).toBe(false);
  await first;
  expect(asked).toEqual([true, false]);
  expect(follows.value).toBe(false);
});

/** What a seat is told to have run, where a page shows a run. */
function told(shown: { mine: boolean; id: string }, asked: string, follows: boolean): string {
  room.value = seated(follows);
  const view = createRunView();
  view.run.value = { ...storedRun("x = 1\n"), ...shown } as unknown as typeof view.run.value;
  view.asked.value = asked;
  return ownRun(view);
}

test("a seat's run is one that it asked for, whether it follows, has followed or never did", () => {
  const [theirs, own] = [
    { id: "led", mine: false },
    { id: "own", mine: true },
  ];
  expect(told(own, "own", false)).toBe("own");
  expect(told(own, "own", true)).toBe("own");
  expect(told(own, "later", true)).toBe("");
  expect(told(theirs, "own", true)).toBe("");
  expect(told(theirs, "own", false)).toBe("");
});

test("whoever reads the shared text edits nothing, and whoever has its pen does", () => {
  const view = createRunView();
  view.run.value = storedRun("x = 1\n") as unknown as typeof view.run.value;
  view.source.value = "x = 1\n";
  const at = (pen: boolean) => {
    room.value = { code: "k7mq-2p9x", you: 1, seats: [{ id: 1, pen }] } as unknown as Room;
    return isEditing(view);
  };
  expect(at(false)).toBe(false);
  view.shared.value = signal("y = 2\n");
  expect(at(false)).toBe(false);
  expect(at(true)).toBe(true);
  view.shared.value = null;
  view.source.value = "x = 3\n";
  expect(at(false)).toBe(true);
});
