/**
 * A run's events as they happen, each exactly once and in order, over a WebSocket that may drop.
 *
 * Every connection asks for what comes after the last event seen, so nothing is lost. While no
 * WebSocket can be had, the run is asked for between the attempts, and the page says so.
 */
import { delayMs } from "../lib/backoff";
import type { Event } from "../wire";
import { getRun, type Run, type RunState } from "./api";

export type Link = "connecting" | "live" | "lost" | "polling";

export interface Listener {
  /** A batch of events, in order. */
  events: (events: Event[]) => void;
  /** The server started over: what was applied so far no longer counts. */
  restart: () => void;
  state: (state: RunState) => void;
  link: (link: Link) => void;
  /** How long the run has taken by the server's clock, now and then. */
  clock: (seconds: number) => void;
  /** How many runs are before one that waits, about how many seconds they take, and why none begins
   * now. */
  waits: (ahead: number, seconds: number | null, waitsFor: string) => void;
  /** A whole run, from polling. */
  snapshot: (run: Run) => void;
  refused: (message: string) => void;
}

interface Message {
  seq?: number;
  event?: Event;
  state?: RunState;
  error?: { message?: string } | string;
  seconds?: number;
  ahead?: number;
  wait_s?: number | null;
  waits_for?: string;
}

const OVER: ReadonlySet<RunState> = new Set(["done", "failed", "cancelled"]);
const REFUSALS = new Set([4400, 4404]);
const ATTEMPTS_BEFORE_POLLING = 4;
const POLL_MS = 1500;
const NETWORK = ["offline", "online"] as const;
// The server's heart beats every ten seconds; after two missed beats the line is dead.
const SILENCE_MS = 25_000;
// Nobody reads faster; what a burst changes is drawn once, and between two drawings keys are heard.
const PACE_MS = 100;

export const isOver = (state: RunState): boolean => OVER.has(state);

/** Follows a run until it is over or the returned function is called. */
export function follow(id: string, listener: Listener): () => void {
  const follower = new Follower(id, listener);
  follower.connect();
  return () => follower.stop();
}

class Follower {
  private last = 0;
  private attempt = 0;
  private stopped = false;
  private isHeard = false;
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private waiting: Event[] = [];
  private pace: ReturnType<typeof setTimeout> | undefined;
  private flushed = -Infinity;

  constructor(
    private readonly id: string,
    private readonly listener: Listener,
  ) {
    for (const change of NETWORK) addEventListener(change, this.again);
  }

  connect(): void {
    if (this.stopped) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const url = `${scheme}://${location.host}/ws/runs/${this.id}/?after=${this.last}`;
    const socket = new WebSocket(url);
    this.socket = socket;
    if (this.attempt === 0) this.listener.link("connecting");
    this.listen();
    this.isHeard = false;
    socket.onmessage = ({ data }) => this.received(JSON.parse(String(data)) as Message);
    socket.onclose = ({ code }) => socket === this.socket && this.closed(code);
  }

  /** Something in between may open a line that leads nowhere: what counts is that the server speaks. */
  private hear(): void {
    if (!this.isHeard) this.listener.link("live");
    this.isHeard = true;
  }

  /** Gives the line up when nothing has been heard for too long. */
  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      const dead = this.socket;
      this.socket = null;
      dead?.close();
      this.closed(0);
    }, SILENCE_MS);
  }

  /** The network went or came: whether the line still holds is found out at once by a new one, which
   * a server on this very machine answers in either case. */
  private readonly again = () => {
    clearTimeout(this.timer);
    const old = this.socket;
    this.socket = null;
    old?.close();
    this.connect();
  };

  stop(): void {
    this.stopped = true;
    for (const change of NETWORK) removeEventListener(change, this.again);
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    clearTimeout(this.pace);
    this.socket?.close();
  }

  private received(message: Message): void {
    if (this.stopped) return;
    this.attempt = 0;
    this.hear();
    this.listen();
    if (message.error) this.refuse(message.error);
    if (message.seconds !== undefined) this.listener.clock(message.seconds);
    const { ahead, wait_s: seconds = null, waits_for: reason = "" } = message;
    if (ahead !== undefined) this.listener.waits(ahead, seconds, reason);
    if (message.event && message.seq !== undefined) this.take(message.seq, message.event);
    if (message.state) this.changed(message.state, message.seq ?? this.last);
  }

  private take(seq: number, event: Event): void {
    if (event.type === "started" && this.last > 0) {
      this.waiting = [];
      this.listener.restart();
    } else if (seq <= this.last) {
      return;
    }
    this.last = seq;
    this.waiting.push(event);
    // In a task of its own: in the browser's frame it would hold up what that draws of the keys.
    const wait = Math.max(0, this.flushed + PACE_MS - performance.now());
    this.pace ??= setTimeout(() => this.flush(), wait);
  }

  private flush(): void {
    clearTimeout(this.pace);
    this.pace = undefined;
    this.flushed = performance.now();
    const events = this.waiting;
    this.waiting = [];
    if (events.length > 0) this.listener.events(events);
  }

  private changed(state: RunState, seq: number): void {
    this.flush();
    if (isOver(state) && seq > this.last) {
      // Its last events are no longer kept: they are in its report.
      this.socket = null;
      void this.poll();
      return;
    }
    this.listener.state(state);
    if (isOver(state)) this.stop();
  }

  private refuse(error: NonNullable<Message["error"]>): void {
    this.stop();
    this.listener.refused(typeof error === "string" ? error : (error.message ?? "Refused."));
  }

  private closed(code: number): void {
    if (this.stopped) return;
    clearTimeout(this.silence);
    this.flush();
    if (REFUSALS.has(code)) {
      this.refuse("The server does not know this run.");
      return;
    }
    this.attempt += 1;
    if (this.attempt > ATTEMPTS_BEFORE_POLLING) {
      this.listener.link("polling");
      void this.poll();
      return;
    }
    this.listener.link("lost");
    this.timer = setTimeout(() => this.connect(), delayMs(this.attempt - 1, Math.random()));
  }

  /** Asks for the run once, and then tries the socket again. */
  private async poll(): Promise<void> {
    const answer = await getRun(this.id);
    if (this.stopped) return;
    if (answer.ok) this.snapshot(answer.value);
    else if (answer.status === 404) this.refuse(answer.error);
    if (!this.stopped) this.timer = setTimeout(() => this.connect(), POLL_MS);
  }

  private snapshot(run: Run): void {
    this.last = run.seq;
    this.listener.snapshot(run);
    if (isOver(run.state)) this.stop();
  }
}
