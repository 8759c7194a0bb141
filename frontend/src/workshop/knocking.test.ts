import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { knock } from "./knocking";

const TOO_MANY = JSON.stringify({
  error: { message: "Too many requests from this address.", remedy: "Try again in 7 s." },
});
const refused = () => new Response(TOO_MANY, { status: 429, headers: { "Retry-After": "7" } });
const open = () => new Response('{"code":"k7mq-2p9x"}');
const gone = () => new Response("", { status: 404 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What is heard at a door that answers so, one after the other. */
function knocking(...answers: (() => Response)[]) {
  const heard: (number | string)[] = [];
  const fetching = vi.fn(async () => (answers.shift() ?? gone)());
  vi.stubGlobal("fetch", fetching);
  vi.stubGlobal("location", { hash: "#lead=secret" });
  const stop = knock("k7mq-2p9x", (answer) => {
    heard.push(answer.ok ? answer.value.code : answer.status);
  });
  return { heard, stop, fetching };
}

test("who is told to wait is let in when the time is over", async () => {
  const { heard } = knocking(refused, refused, open);
  await vi.advanceTimersByTimeAsync(6_900);
  expect(heard).toEqual([429]);
  await vi.advanceTimersByTimeAsync(200);
  expect(heard).toEqual([429, 429]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).toEqual([429, 429, "k7mq-2p9x"]);
});

test("who has the leader link shows it at the door", () => {
  const { fetching, stop } = knocking(open);
  const headers = { Accept: "application/json", "Fuselab-Lead": "secret" };
  expect(fetching).toHaveBeenCalledWith(expect.any(String), { method: "GET", headers });
  stop();
});

test("who stands before a locked door is let in when it is unlocked", async () => {
  const locked = () => new Response('{"code":"k7mq-2p9x","locked":true,"was_inside":false}');
  const { heard, fetching } = knocking(locked, open);
  vi.stubGlobal("location", { hash: "" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).toEqual(["k7mq-2p9x", "k7mq-2p9x"]);
  expect(fetching).toHaveBeenCalledTimes(2);
});

test("who was removed is let in when the leader lets them", async () => {
  const removed = () => new Response('{"code":"k7mq-2p9x","removed":true,"was_inside":false}');
  const { heard } = knocking(removed, open);
  vi.stubGlobal("location", { hash: "" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).toEqual(["k7mq-2p9x", "k7mq-2p9x"]);
});

test("a server that does not answer is asked again", async () => {
  const lost = () => {
    throw new TypeError("Failed to fetch");
  };
  const { heard } = knocking(lost, open);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).toEqual([0, "k7mq-2p9x"]);
});

test("another refusal is final", async () => {
  const { heard } = knocking(gone, open);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).toEqual([404]);
});

test("who goes knocks no more, and hears nothing", async () => {
  const { heard, stop, fetching } = knocking(refused, open);
  await vi.advanceTimersByTimeAsync(0);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).toEqual([429]);
  expect(fetching).toHaveBeenCalledTimes(1);
});
