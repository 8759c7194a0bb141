/** A workshop: the calls of its API, and the socket that tells of every change. */
import { delayMs } from "../lib/backoff";
import type { Options } from "../wire";
import { call } from "./api";

export interface Door {
  code: string;
  title: string;
  wants_pass_phrase: boolean;
  locked: boolean;
  seated: boolean;
}

export interface Seat {
  id: number;
  name: string;
  leads: boolean;
  follows: boolean;
  /** Whether their page was heard of lately. */
  here: boolean;
  /** For the leader, and for oneself. */
  run: { id: string; state: string } | null;
}

/** A workshop as one person in it sees it. */
export interface Room {
  code: string;
  title: string;
  locked: boolean;
  /** What all runs in it have. */
  options: Partial<Options>;
  /** The path and fragment at which the leader is; "" before the first run. */
  place: string;
  /** The number of the snippet that was handed out last; 0 if none was. */
  handed_out: number;
  /** The id of one's own seat. */
  you: number;
  seats: Seat[];
  /** Leads the leader's other machine here; "" for others. */
  lead_link: string;
}

export interface Wanted {
  title: string;
  name: string;
  pass_phrase: string;
  options: Record<string, string>;
}

const at = (code: string): string => `workshops/${encodeURIComponent(code)}`;

export const openWorkshop = (wanted: Wanted) => call<{ code: string }>("POST", "workshops", wanted);

export const getDoor = (code: string) => call<Door>("GET", `${at(code)}/door`);

export const joinWorkshop = (code: string, name: string, pass_phrase: string, lead: string) =>
  call<Room>("POST", `${at(code)}/join`, { name, pass_phrase, lead });

export const getRoom = (code: string) => call<Room>("GET", at(code));

export const leaveWorkshop = (code: string) => call<null>("POST", `${at(code)}/leave`, {});

export const changeWorkshop = (code: string, change: { locked?: boolean; place?: string }) =>
  call<Room>("PATCH", at(code), change);

export const changeSeat = (code: string, change: { follows?: boolean; run?: string }) =>
  call<Room>("PATCH", `${at(code)}/seat`, change);

export const removeSeat = (code: string, seat: number) =>
  call<null>("DELETE", `${at(code)}/seats/${seat}`);

export const handOut = (code: string, source: string) =>
  call<Room>("POST", `${at(code)}/handout`, { source });

export const getHandOut = (code: string) =>
  call<{ number: number; source: string }>("GET", `${at(code)}/handout`);

interface Listener {
  room: (room: Room) => void;
  /** Whether the line holds. */
  live: (isLive: boolean) => void;
  /** No longer in it, and why. */
  out: (why: string) => void;
}

// The server looks for changes every two seconds, and says nothing where there are none: only a
// closed socket tells that the line is lost.
const REFUSALS = new Set([4403, 4404]);

/** Follows a workshop until the returned function is called. */
export function attend(code: string, listener: Listener): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let why = "";
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const mine = new WebSocket(`${scheme}://${location.host}/ws/${at(code)}/`);
    socket = mine;
    mine.onmessage = ({ data }) => {
      const said = JSON.parse(String(data)) as { room?: Room; error?: { message: string } };
      why = said.error?.message ?? "";
      if (!said.room) return;
      attempt = 0;
      listener.live(true);
      listener.room(said.room);
    };
    mine.onclose = (event) => {
      if (mine !== socket) return;
      if (REFUSALS.has(event.code)) return listener.out(why);
      listener.live(false);
      timer = setTimeout(connect, delayMs(attempt, Math.random()));
      attempt += 1;
    };
  };
  const again = () => {
    clearTimeout(timer);
    const old = socket;
    socket = null;
    old?.close();
    connect();
  };
  addEventListener("online", again);
  connect();
  return () => {
    removeEventListener("online", again);
    clearTimeout(timer);
    const old = socket;
    socket = null;
    old?.close();
  };
}
