/** How long to wait before the next attempt to connect. */

const FIRST_MS = 250;
const LONGEST_MS = 8000;

/** Doubles from a quarter of a second to eight; `spread` in [0, 1) keeps clients apart. */
export function delayMs(attempt: number, spread: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return Math.round(whole * (0.75 + spread / 2));
}
