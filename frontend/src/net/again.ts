/** When to ask once more for what the server has not given. */
import { delayMs } from "../lib/backoff";
import type { Result } from "./api";

/** No answer at all; one of those that say to come again, or of a proxy whose server is gone. */
const AWAY: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);

/** Milliseconds until it is worth asking again; null where that would bring the same answer. */
export function againMs<T>(answer: Result<T>, attempt: number): number | null {
  if (answer.ok || !AWAY.has(answer.status)) return null;
  return answer.wait_s ? answer.wait_s * 1000 : delayMs(attempt, Math.random());
}
