/** Looking at a workshop's door, where one address may look so often only. */
import type { Result } from "../net/api";
import { getDoor, type Door } from "../net/workshop";
import { isShut, leadSecret } from "./leading";

const LOCKED_S = 10;

/** Tells what is seen at the door; who was told to wait looks again when that is over, and who stands before
 * a locked one now and then. Until the returned function is called. */
export function knock(code: string, heard: (answer: Result<Door>) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const look = async () => {
    const answer = await getDoor(code, leadSecret());
    if (isOver) return;
    heard(answer);
    const wait_s = answer.ok ? isShut(answer.value, leadSecret()) && LOCKED_S : answer.wait_s;
    if (wait_s) timer = setTimeout(() => void look(), wait_s * 1000);
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
