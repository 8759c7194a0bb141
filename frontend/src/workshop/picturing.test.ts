import { expect, onTestFinished, test, vi } from "vitest";
import type { Room } from "../net/workshop";
import { storedRun } from "../testing/stored";
import { room } from "./room/attending";
import { picture } from "./picturing";

const put = vi.hoisted(() => vi.fn());
vi.mock("../share/outputs", () => ({ draw: (id: string) => put(id) }));

const at = (run: object | null): void => {
  room.value = { you: 1, seats: [{ id: 1, run }] } as unknown as Room;
};

/** What was drawn when the run at the seat is told of so, one after the other. */
async function drawn(mine: boolean, ...told: (object | null)[]) {
  vi.useFakeTimers();
  put.mockClear();
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ ...storedRun("x"), mine })));
  room.value = null;
  const end = picture();
  onTestFinished(() => {
    end();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    room.value = null;
  });
  for (const run of told) {
    at(run);
    await vi.advanceTimersByTimeAsync(1100);
    await vi.waitFor(() => {});
  }
  await vi.advanceTimersByTimeAsync(100);
  return put.mock.calls.map(([id]) => id as string);
}

const done = { id: "own", state: "done", pictured: false };

test("the run at the seat is drawn when it is done, whatever the page shows", async () => {
  expect(await drawn(true, { ...done, state: "running" }, done, { ...done })).toEqual(["own"]);
});

test("none is drawn that has a picture, failed, or is somebody else's", async () => {
  expect(
    await drawn(true, null, { ...done, pictured: true }, { ...done, state: "failed" }),
  ).toEqual([]);
  expect(await drawn(false, done)).toEqual([]);
});
