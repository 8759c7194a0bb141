/** A workshop: the calls of its API, and the socket that tells of every change. */
import type { Options } from "../wire";
import { call } from "./api";
import { lasting, type Lasting } from "./lasting";

export interface Door {
  code: string;
  title: string;
  /** The names of those who lead. */
  leaders: string[];
  wants_pass_phrase: boolean;
  locked: boolean;
  seated: boolean;
  /** They may not come in again. */
  removed: boolean;
  /** A locked door opens to them. */
  was_inside: boolean;
}

/** The run at a seat. `asks`: it failed for want of inputs; `waits`: what one that has begun waits for, ""
 * where it goes on. */
export interface SeatRun {
  id: string;
  state: string;
  verdict: string;
  pictured: boolean;
  asks: boolean;
  waits: string;
}

export interface Seat {
  id: number;
  name: string;
  leads: boolean;
  follows: boolean;
  /** Whether their page was heard of lately. */
  here: boolean;
  /** Whether they may write in the shared text. */
  pen: boolean;
  /** The others are told nothing of them. */
  muted: boolean;
  /** Whether their text is one that they have not run; for the leader, and for oneself. */
  editing: boolean;
  /** For the leader, and for oneself. */
  run: SeatRun | null;
  /** How many exercises they have passed; for the leader, and for oneself. */
  passed: number | null;
  /** What the leader said of their work, until they have read it; for the same. */
  comment: string;
  /** Whether a text came with it. */
  sent_back: boolean;
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
  /** The seat that told of it last: of the leader's machines the one that is followed; 0 before that. */
  front: number;
  /** Which of its tabs did, as that calls itself; "" where none said. */
  front_tab: string;
  /** The number of the snippet that was handed out last; 0 if none was. */
  handed_out: number;
  /** The id of one's own seat. */
  you: number;
  seats: Seat[];
  /** How many pages its deck has, and at which the leader is, from 0; another edition is another deck;
   * `turns` grows whenever a leader turns to a page, and `ran` has what a leader ran last in its blocks,
   * by "page block"; `latest`: the leader went to the deck last, and to no run since. */
  deck: {
    page: number;
    pages: number;
    edition: number;
    turns: number;
    ran: Readonly<Record<string, string>>;
    latest: boolean;
  } | null;
  /** How many exercises there are, and whether seats see how far the others are. */
  exercises: number;
  board: boolean;
  /** Whether it is there for good; else for 30 days. */
  kept: boolean;
  /** Leads the leader's other machine here; "" for others. */
  lead_link: string;
  /** Who was removed and may be let back in; for leaders. */
  removed: { id: number; name: string }[];
}

export interface Wanted {
  title: string;
  name: string;
  pass_phrase: string;
  options: Record<string, string>;
  /** The name of a course; "" for none. */
  course: string;
}

export const at = (code: string): string => `workshops/${encodeURIComponent(code)}`;

export const openWorkshop = (wanted: Wanted) => call<{ code: string }>("POST", "workshops", wanted);

/** `lead` is the secret of the leader link: whoever has it does not wait, whoever else has knocked. */
export const getDoor = (code: string, lead = "") =>
  call<Door>("GET", `${at(code)}/door`, undefined, lead ? { "Fuselab-Lead": lead } : {});

export const joinWorkshop = (code: string, name: string, pass_phrase: string, lead: string) =>
  call<Room>("POST", `${at(code)}/join`, { name, pass_phrase, lead });

export const getRoom = (code: string) => call<Room>("GET", at(code));

export const leaveWorkshop = (code: string) => call<null>("POST", `${at(code)}/leave`, {});

export const changeWorkshop = (
  code: string,
  change: Partial<Pick<Room, "title" | "locked" | "place" | "board" | "kept"> & { tab: string }>,
) => call<Room>("PATCH", at(code), change);

export const changeSeat = (
  code: string,
  change: { follows?: boolean; run?: string; name?: string; editing?: boolean; comment?: "" },
) => call<Room>("PATCH", `${at(code)}/seat`, change);

export const commentOn = (
  code: string,
  seat: number,
  said: { comment: string; sent_back: string | undefined },
) => call<Room>("PATCH", `${at(code)}/seats/${seat}`, said);

export const getSentBack = (code: string) =>
  call<{ source: string }>("GET", `${at(code)}/seat/sent-back`);

export const mute = (code: string, seat: number, muted: boolean) =>
  call<Room>("PATCH", `${at(code)}/seats/${seat}`, { muted });

export const setRemoved = (code: string, seat: number, removed: boolean) =>
  call<Room>("PATCH", `${at(code)}/seats/${seat}`, { removed });

export const changePen = (code: string, seat: number, pen: boolean) =>
  call<Room>("PATCH", `${at(code)}/seats/${seat}`, { pen });

export const handOut = (code: string, source: string) =>
  call<Room>("POST", `${at(code)}/handout`, { source });

/** A snippet that was handed out, by its number. */
export const getHandOut = (code: string, number: number) =>
  call<{ number: number; source: string }>("GET", `${at(code)}/handouts/${number}`);

export interface HandOut {
  number: number;
  title: string;
  /** In ISO 8601. */
  at: string;
}

/** Those that were handed out, the newest first. */
export const getHandOuts = (code: string) =>
  call<{ handouts: HandOut[] }>("GET", `${at(code)}/handouts`);

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
  let why = "";
  const line = lasting(`/ws/${at(code)}/`, REFUSALS, {
    frame: (data) => {
      const said = JSON.parse(String(data)) as { room?: Room; error?: { message: string } };
      why = said.error?.message ?? "";
      if (said.room) listener.room(said.room);
      return said.room !== undefined;
    },
    live: listener.live,
    refused: () => listener.out(why),
  });
  return line.end;
}

interface TextListener {
  bytes: (frame: Uint8Array<ArrayBuffer>) => void;
  /** What was sent was not taken, and why; `isOfUpdate`: what was written is not in the shared text. */
  refused: (why: string, isOfUpdate: boolean) => void;
  live: (isLive: boolean) => void;
}

/** The line of a workshop's shared text, in y-protocols' frames. Who is not in the workshop any more
 * hears of it from `attend`. */
export function attendText(code: string, listener: TextListener): Lasting {
  return lasting(`/ws/${at(code)}/text/`, REFUSALS, {
    frame: (data) => {
      if (typeof data !== "string") {
        listener.bytes(new Uint8Array(data));
        return true;
      }
      const { error } = JSON.parse(data) as { error: { message: string; input: string } };
      listener.refused(error.message, error.input === "update");
      return false;
    },
    live: listener.live,
    refused: () => {},
  });
}
