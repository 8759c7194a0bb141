import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Room } from "../../net/workshop";
import { onPage } from "../exercises/state";
import { hear, room } from "../room/attending";
import { deck, isAlong, shown, turnAlong, turnTo, watchDeck } from "./paging";

/** The room of a leader, `turns` turns after it was opened. */
const at = (page: number, turns: number) =>
  ({
    code: "k7mq-2p9x",
    you: 1,
    seats: [{ id: 1, leads: true, follows: false }],
    deck: { page, pages: 5, edition: 1, turns },
  }) as unknown as Room;

/** How the server answers the turns that it was asked for, in the order in which they were. */
let answers: ((status: number, body: object) => void)[] = [];

beforeEach(() => {
  answers = [];
  vi.stubGlobal("fetch", (_url: string, { method }: RequestInit) => {
    if (method !== "PATCH") return Promise.resolve(new Response('{"pages": []}'));
    return new Promise((resolve) =>
      answers.push((status, body) => resolve(new Response(JSON.stringify(body), { status }))),
    );
  });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  room.value = at(0, 0);
  const end = watchDeck();
  onTestFinished(() => {
    end();
    room.value = null;
    vi.unstubAllGlobals();
  });
});

test("a leader sees the page that they turned to before it was answered", () => {
  void turnTo(1);
  expect(shown.value).toBe(1);
});

test("the line that tells of the page before takes no leader back to it", async () => {
  const turning = turnTo(1);
  hear(at(0, 0));
  answers[0]!(200, at(1, 1));
  await turning;
  expect(shown.value).toBe(1);
  hear(at(1, 1));
  expect(shown.value).toBe(1);
});

test("a leader whose turn was overtaken by that of another machine is where all are", async () => {
  const turning = turnTo(1);
  hear(at(0, 2));
  answers[0]!(200, at(1, 1));
  await turning;
  expect(shown.value).toBe(0);
});

test("a leader sees at once where another machine of theirs turned to, answered or not", async () => {
  const turning = turnTo(1);
  hear(at(1, 1));
  expect(shown.value).toBe(1);
  hear(at(3, 2));
  expect(shown.value).toBe(3);
  answers[0]!(200, at(1, 1));
  await turning;
  expect(shown.value).toBe(3);
});

test("a leader whose own turn is counted after another machine's is taken along by both", async () => {
  const turning = turnTo(1);
  hear(at(4, 1));
  expect(shown.value).toBe(4);
  hear(at(1, 2));
  expect(shown.value).toBe(1);
  answers[0]!(200, at(1, 2));
  await turning;
  expect(shown.value).toBe(1);
});

test("who turns faster than it is told goes back to no page between", async () => {
  const turning = [turnTo(1), turnTo(2), turnTo(3)];
  hear(at(1, 1));
  expect(shown.value).toBe(3);
  answers[0]!(200, at(1, 1));
  await turning[0];
  hear(at(1, 1));
  expect(shown.value).toBe(3);
  hear(at(2, 2));
  expect(shown.value).toBe(3);
  answers[1]!(200, at(2, 2));
  answers[2]!(200, at(3, 3));
  await Promise.all(turning);
  expect(shown.value).toBe(3);
});

test("of two turns the later one counts, in whichever order they are answered", async () => {
  const turning = [turnTo(1), turnTo(2)];
  answers[1]!(200, at(2, 2));
  await turning[1];
  answers[0]!(200, at(1, 1));
  await turning[0];
  expect(shown.value).toBe(2);
});

test("a leader whose turn was refused is where all are", async () => {
  const turning = turnTo(1);
  answers[0]!(403, { error: { message: "You lead no more." } });
  await turning;
  expect(shown.value).toBe(0);
});

/** The room of somebody who does not lead it. */
const inRoom = (page: number, turns: number, seat: object, others: object[] = []) =>
  ({
    ...at(page, turns),
    you: 2,
    seats: [{ id: 1, leads: true }, { id: 2, leads: false, follows: true, ...seat }, ...others],
  }) as unknown as Room;

/** Somebody who follows, and has turned back from page 2 of the leader's. */
async function turnBack(): Promise<void> {
  hear(inRoom(2, 1, {}));
  await turnTo(1);
}

test.each([
  ["another follows", {}, [{ id: 3, follows: true }]],
  ["somebody closes a laptop", {}, [{ id: 3, here: false }]],
  ["they begin to write", { editing: true }, []],
])("who follows and turned back stays there where %s", async (_, seat, others) => {
  await turnBack();
  hear(inRoom(2, 1, seat, others));
  expect(shown.value).toBe(1);
});

test("who follows and turned back goes along with the leader's next turn", async () => {
  await turnBack();
  hear(inRoom(3, 2, {}));
  expect(shown.value).toBe(3);
});

test("who goes their own way stays at their page where the leader turns", async () => {
  hear(inRoom(2, 1, { follows: false }));
  await turnTo(1);
  hear(inRoom(3, 2, { follows: false }));
  expect(shown.value).toBe(1);
});

test("who follows and turned back comes along again by the same key", async () => {
  await turnBack();
  expect(isAlong.value).toBe(false);
  const asked = turnAlong();
  expect(shown.value).toBe(2);
  expect(isAlong.value).toBe(true);
  answers[0]!(200, inRoom(2, 1, {}));
  await asked;
});

test("who went their own way is at the leader's page as soon as they follow", async () => {
  hear(inRoom(2, 1, { follows: false }));
  await turnTo(1);
  const asked = turnAlong();
  expect(shown.value).toBe(2);
  answers[0]!(200, inRoom(2, 1, {}));
  await asked;
});

test("the exercise on the page that is shown is known, and that a page has none", () => {
  const blocks = [
    { type: "html" as const, html: "" },
    { type: "exercise" as const, name: "one" },
  ];
  const pages = [[], blocks].map((each) => ({ title: "", blocks: each }));
  deck.value = { title: "", minutes: 90, pages };
  expect(onPage.value).toBe("");
  void turnTo(1);
  expect(onPage.value).toBe("one");
});
