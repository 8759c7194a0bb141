/** What a person had chosen for their runs when one was made, or shown to them, that has other options: an
 * exercise's has only what its checks need, and what somebody else shows has theirs. That is not this
 * person's choice, and their next run has what they chose. */
import type { Options } from "../wire";
import { read, write } from "./storage";

/** What of the options says how much is looked into and measured: not which program it is. */
export const choiceOf = ({ measure, insides, compilers, timeline, trials }: Options) => ({
  measure,
  insides,
  compilers,
  timeline,
  trials,
});

const KEY = "fuselab.choices";
const MOST = 30;

/** The options that stand beside the run of an id, in place of its own; null where there are none. */
export const choiceBeside = (run: string): Partial<Options> | null => choices()[run] ?? null;

/** Keeps what was chosen beside a run; or nothing any more: it was asked for as it is. */
export function keepChoice(run: string, choice: Partial<Options> | null): void {
  const { [run]: before, ...others } = choices();
  if (choice === null && before === undefined) return;
  const kept = Object.entries(others).slice(1 - MOST);
  const all = choice === null ? kept : [...kept, [run, choice]];
  write("localStorage", KEY, JSON.stringify(Object.fromEntries(all)));
}

const choices = (): Record<string, Partial<Options>> =>
  JSON.parse(read("localStorage", KEY) ?? "{}") as Record<string, Partial<Options>>;
