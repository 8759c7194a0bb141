/** How long a run that waits will wait, in words. */
import { plural } from "./format";

/** The name of the stage of a run that has begun and waits until others are through. */
export const ITS_TURN = "its turn";

/** Of a run with `ahead` others before it, which take about `seconds`; null: not known. `waitsFor`:
 * why none begins now. */
export function waiting(ahead: number | null, seconds: number | null, waitsFor = ""): string {
  if (ahead === null) return waitsFor;
  const place = ahead === 0 ? "next" : `${plural(ahead, "run")} before it`;
  if (waitsFor !== "") return `${place}; ${waitsFor}`;
  return seconds ? `${place}, begins in about ${roughly(seconds)}` : place;
}

function roughly(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
