/** What a remedy that was tried has brought, in words. */
import type { Trial, TrialTime } from "../wire";
import { titleOf } from "./compilers";
import { microseconds, times } from "./format";

/** Whether the snippet's own program was compiled; else its times are those of its framework alone,
 * which are no cost of what is remedied. */
const wasCompiled = ({ before }: Trial): boolean => before.graphs !== null;

/** Blank where nothing was timed, or noise is as large as what was found. */
export function gainWords(trial: Trial): string {
  if (trial.speedup === null || trial.times[0]?.verdict === "same within noise") return "";
  return `${times(trial.speedup)} as fast${wasCompiled(trial) ? "" : " as without a compiler"}`;
}

/** The times before and after by one compiler, in whose rounds they were taken. */
export function timeWords(trial: Trial, time: TrialTime): string {
  const of = time.first_calls ? "the snippet's calls with compiling" : "a call";
  const range = `${times(time.speedup_low)} to ${times(time.speedup_high)}`;
  const before = `${microseconds(time.before_us)}${wasCompiled(trial) ? "" : " without a compiler"}`;
  const spent = `${before} → ${microseconds(time.after_us)}`;
  return `${titleOf(time.compiler)}, ${of}: ${spent}, ${times(time.speedup)} (${range}), ${time.verdict}`;
}
