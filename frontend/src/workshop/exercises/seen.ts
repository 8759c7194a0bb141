/** What the checks of an attempt saw. */
import type { CheckResult } from "../../net/exercises";

/** The sentence that all of several checks saw, as of a snippet that failed before any could be held
 * against it; "" where they differ. */
export function inCommon(results: readonly CheckResult[]): string {
  const [first, ...others] = results.map(({ says }) => says);
  const isSame = others.length > 0 && others.every((says) => says === first);
  return isSame ? (first ?? "") : "";
}
