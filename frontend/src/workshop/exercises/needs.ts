/** What a run has to be asked for, so that an exercise's checks can be held against it. */
import type { Needs } from "../../net/exercises";
import type { Options } from "../../wire";

/** The options with what is needed added to them. */
export function withNeeds(options: Options, needs: Needs): Options {
  const { compilers } = options;
  const others = needs.compilers ?? [];
  return {
    ...options,
    measure: options.measure || needs.measure === true,
    insides: [...new Set([...options.insides, ...(needs.insides ?? [])])],
    compilers:
      others.length === 0
        ? compilers
        : [...new Set([...(compilers === "auto" ? [] : compilers), ...others])],
  };
}

/** Whether a run with these options has what is needed. */
export const hasNeeds = (options: Options, needs: Needs): boolean =>
  JSON.stringify(withNeeds(options, needs)) === JSON.stringify(options);
