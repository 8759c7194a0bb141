/** Looking at a workshop's door, where one address may look so often only. */
import { UNREACHABLE, type Result } from "../net/api";
import { getDoor, type Door } from "../net/workshop";
import { isShut, leadSecret } from "./leading";

const SHUT_S = 10;
const UNANSWERED_S = 3;

/** Tells what is seen at the door; who was told to wait looks again when that is over, and who stands before
 * a shut one, or had no answer, now and then. Until the returned function is called. */
export function knock(code: string, heard: (answer: Result<Door>) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const look = async () => {
    const answer = await getDoor(code, leadSecret());
    if (isOver) return;
    heard(answer);
    const wait_s = untilNext(answer);
    if (wait_s) timer = setTimeout(() => void look(), wait_s * 1000);
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** In how many seconds it is looked again; 0: no more. */
function untilNext(answer: Result<Door>): number {
  if (answer.ok) return isShut(answer.value, leadSecret()) ? SHUT_S : 0;
  return answer.error === UNREACHABLE ? UNANSWERED_S : (answer.wait_s ?? 0);
}
