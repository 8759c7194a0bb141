/** Looking at a workshop's door, where one address may look so often only. */
import type { Result } from "../net/api";
import { getDoor, type Door } from "../net/workshop";
import { leadSecret } from "./leading";

/** Tells what is seen at the door; who was told to wait looks again when that is over. Until the returned
 * function is called. */
export function knock(code: string, heard: (answer: Result<Door>) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const look = async () => {
    const answer = await getDoor(code, leadSecret());
    if (isOver) return;
    heard(answer);
    if (!answer.ok && answer.wait_s) timer = setTimeout(() => void look(), answer.wait_s * 1000);
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
