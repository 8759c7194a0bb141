import { signal } from "@preact/signals";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Result } from "../../net/api";
import type { Room } from "../../net/workshop";
import { isLive, problem } from "./attending";
import { afterTelling, tellOf } from "./telling";

const HEARD: Result<Room> = { ok: true, value: {} as Room };
const LOST: Result<Room> = { ok: false, error: "The server cannot be reached.", status: 0 };

const place = signal("");
let told: string[] = [];
let answer: Result<Room> = HEARD;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  answer = HEARD;
  place.value = "";
  onTestFinished(() => {
    vi.useRealTimers();
    isLive.value = true;
    problem.value = null;
  });
});

function telling(isMeant?: () => boolean): void {
  const tell = async (text: string) => (told.push(text), answer);
  onTestFinished(tellOf(() => place.value, tell, isMeant));
}

const pause = () => vi.advanceTimersByTimeAsync(1000);

test("what follows quickly is told once, and what is told already is not", async () => {
  telling();
  place.value = "a";
  place.value = "b";
  await pause();
  place.value = "c";
  place.value = "b";
  await pause();
  expect(told).toEqual(["b"]);
});

test("what is asked for next is asked for when that is told which waits to be, and at once where nothing does", async () => {
  telling();
  const turn = async () => void told.push("turned");
  place.value = "a";
  await afterTelling(turn);
  expect(told).toEqual(["a", "turned"]);
  await pause();
  void afterTelling(turn);
  expect(told).toEqual(["a", "turned", "turned"]);
});

test("what is told in a while is not put off by what changes nothing", async () => {
  const others = signal(0);
  onTestFinished(
    tellOf(
      () => (others.value, place.value),
      async (text) => (told.push(text), answer),
    ),
  );
  place.value = "a";
  for (; others.value < 9; others.value += 1) await vi.advanceTimersByTimeAsync(100);
  expect(told).toEqual(["a"]);
});

test("what was not heard is told when the line is back, and nothing before", async () => {
  telling();
  answer = LOST;
  place.value = "a";
  await pause();
  isLive.value = false;
  answer = HEARD;
  await pause();
  expect(told).toEqual(["a"]);
  isLive.value = true;
  await pause();
  expect(told).toEqual(["a", "a"]);
  expect(problem.value).toBeNull();
});

test("what came by itself is not told, then or later; what is meant is", async () => {
  let isMeant = false;
  telling(() => isMeant);
  place.value = "a";
  await pause();
  isMeant = true;
  await pause();
  expect(told).toEqual([]);
  place.value = "b";
  await pause();
  expect(told).toEqual(["b"]);
});
