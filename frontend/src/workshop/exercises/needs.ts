/** What a run has to be asked for, so that an exercise's checks can be held against it. */
import { asked } from "../../lib/compilers";
import type { Needs } from "../../net/exercises";
import type { Options } from "../../wire";

/** The options of a run that is made to be checked: it has what is needed and nothing that takes
 * longer, since a whole room checks at once. Inputs, machine and decisions stay as they were chosen. */
export const onlyNeeds = (options: Options, needs: Needs): Options => ({
  ...options,
  measure: needs.measure,
  insides: [...needs.insides],
  compilers: [...needs.compilers],
  timeline: false,
  trials: false,
});

/** Whether a run of this text with these options has what is needed. */
export function hasNeeds(options: Options, source: string, needs: Needs): boolean {
  const compilers = asked(options, source);
  return (
    (options.measure || !needs.measure) &&
    needs.insides.every((each) => options.insides.includes(each)) &&
    needs.compilers.every((each) => compilers.includes(each))
  );
}
