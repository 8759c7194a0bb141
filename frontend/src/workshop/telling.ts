/** What the room is told of this page, as it changes. */
import { effect } from "@preact/signals";
import type { Result } from "../net/api";
import type { Room } from "../net/workshop";
import { isLive, problem } from "./attending";

const PAUSE_MS = 200;

/** Tells the server what `what` says, after a pause, whenever that is something else and is meant. */
export function tellOf(
  what: () => string,
  tell: (text: string) => Promise<Result<Room>>,
  isMeant = () => true,
) {
  let told = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = effect(() => {
    const now = what();
    clearTimeout(timer);
    // What was not heard is told when the line is back.
    if (!isLive.value || now === "" || now === told) return;
    if (!isMeant()) {
      told = now;
      return;
    }
    timer = setTimeout(() => {
      told = now;
      void tell(now).then((answer) => {
        problem.value = answer.ok ? null : answer.error;
        if (!answer.ok) told = "";
      });
    }, PAUSE_MS);
  });
  return () => {
    clearTimeout(timer);
    end();
  };
}
