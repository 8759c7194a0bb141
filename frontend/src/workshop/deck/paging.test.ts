import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Room } from "../../net/workshop";
import { hear, room } from "../attending";
import { shown, turnTo, watchDeck } from "./paging";

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
    if (method !== "PATCH") return Promise.resolve(new Response("{}"));
    return new Promise((resolve) =>
      answers.push((status, body) => resolve(new Response(JSON.stringify(body), { status }))),
    );
  });
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
