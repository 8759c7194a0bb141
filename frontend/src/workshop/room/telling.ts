/** What the room is told of this page, as it changes. */
import { effect } from "@preact/signals";
import type { Result } from "../../net/api";
import type { Room } from "../../net/workshop";
import { isLive, problem } from "./attending";

const PAUSE_MS = 200;
// A line on which nothing comes back holds up nothing else.
const MOST_MS = 1000;

/** Each tells at once what waits for its pause; null where nothing is left to be answered. */
const tellers = new Set<() => Promise<void> | null>();

/** Asks for something when all is told that waits to be, so that the server hears of it after that. */
export function afterTelling<T>(ask: () => Promise<T>): Promise<T> {
  const coming = [...tellers].flatMap((teller) => teller() ?? []);
  if (coming.length === 0) return ask();
  const enough = new Promise((resolve) => setTimeout(resolve, MOST_MS));
  return Promise.race([Promise.all(coming), enough]).then(ask);
}

/** Tells the server what `what` says, after a pause, whenever that is something else and is meant. */
export function tellOf(
  what: () => string,
  tell: (text: string) => Promise<Result<Room>>,
  isMeant = () => true,
) {
  let told = "";
  let next = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: Promise<void> | null = null;
  const drop = () => {
    clearTimeout(timer);
    next = "";
  };
  const send = () => {
    if (next === "") return asking;
    told = next;
    drop();
    const now = tell(told).then((answer) => {
      problem.value = answer.ok ? null : answer.error;
      if (!answer.ok) told = "";
      if (asking === now) asking = null;
    });
    asking = now;
    return asking;
  };
  const end = effect(() => {
    const now = what();
    // What was not heard is told when the line is back.
    if (isLive.value && now !== "" && now === next) return;
    drop();
    if (!isLive.value || now === "" || now === told) return;
    if (!isMeant()) {
      told = now;
      return;
    }
    next = now;
    timer = setTimeout(send, PAUSE_MS);
  });
  tellers.add(send);
  return () => {
    tellers.delete(send);
    drop();
    end();
  };
}
