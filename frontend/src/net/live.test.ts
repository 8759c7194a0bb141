import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { follow, type Listener } from "./live";

class FakeSocket {
  static last: FakeSocket;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((close: { code: number }) => void) | null = null;
  constructor(readonly url: string) {
    FakeSocket.last = this;
  }
  close(): void {}
  says(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const listener = () => ({
  events: vi.fn(),
  restart: vi.fn(),
  state: vi.fn(),
  link: vi.fn(),
  clock: vi.fn(),
  waits: vi.fn(),
  snapshot: vi.fn(),
  refused: vi.fn(),
});

const settled = () => new Promise((resolve) => setTimeout(resolve));

const run = { id: "r1", state: "done", seq: 4, report: { programs: [] } };

const requests = vi.fn(async (_url: string) => new Response(JSON.stringify(run)));

beforeEach(() => {
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("fetch", requests);
  vi.stubGlobal("location", { protocol: "http:", host: "here" });
  vi.stubGlobal("addEventListener", vi.fn());
  vi.stubGlobal("removeEventListener", vi.fn());
});

afterEach(() => {
  requests.mockClear();
  vi.unstubAllGlobals();
});

describe("a run that is followed", () => {
  it("is over when its last event has come", async () => {
    const heard = listener();
    follow("r1", heard as unknown as Listener);
    FakeSocket.last.says({ seq: 1, event: { type: "finished", protocol: "" } });
    FakeSocket.last.says({ state: "done", seq: 1 });
    await settled();
    expect(heard.events).toHaveBeenCalledOnce();
    expect(heard.state).toHaveBeenCalledWith("done");
    expect(requests).not.toHaveBeenCalled();
  });

  it("tells a burst at once, in tasks of its own and no more than ten times a second", () => {
    vi.useFakeTimers();
    const heard = listener();
    follow("r1", heard as unknown as Listener);
    const comes = (seq: number) => FakeSocket.last.says({ seq, event: { type: "printed" } });
    comes(1);
    comes(2);
    expect(heard.events).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(heard.events.mock.calls[0]![0]).toHaveLength(2);
    for (let seq = 3; seq <= 102; seq++) {
      comes(seq);
      vi.advanceTimersByTime(10);
    }
    expect(heard.events.mock.calls.length).toBeGreaterThanOrEqual(10);
    expect(heard.events.mock.calls.length).toBeLessThanOrEqual(12);
    vi.useRealTimers();
  });

  it("is asked for where its last events are no longer kept", async () => {
    const heard = listener();
    follow("r1", heard as unknown as Listener);
    FakeSocket.last.says({ state: "done", seq: 4 });
    await settled();
    expect(requests.mock.calls[0]![0]).toBe("/api/v1/runs/r1?texts=none");
    expect(heard.snapshot).toHaveBeenCalledWith(run);
    expect(heard.state).not.toHaveBeenCalled();
  });
});
