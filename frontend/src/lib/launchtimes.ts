/** What a launch takes: by the model that chose its schedule, and in the call that was profiled. */
import type { Kernel, Program } from "../wire";

/** The microseconds of each run of a launch of the core's, in the call that was profiled. */
export const runsOf = ({ timelines }: Program, { id, graph }: Pick<Kernel, "id" | "graph">) =>
  (timelines.find(({ compiler }) => compiler === "core")?.events ?? [])
    .filter((event) => event.kernel === id && event.graph === graph)
    .map(({ duration_us }) => duration_us);

/** What the model says of the choice that a launch is of: of all its launches together. */
export const modelOf = ({ candidates }: Kernel): number | null =>
  candidates.find(({ chosen }) => chosen)?.cost_us ?? null;

/** What the model says of a launch by itself: a cost of several together is nobody's own. */
export const ownModelOf = (kernel: Kernel): number | null =>
  kernel.chosen_with.length > 1 ? null : modelOf(kernel);

/** The microseconds of a run of a launch; null where no call was profiled, or it did not run. */
export function runOf(program: Program, kernel: Pick<Kernel, "id" | "graph">): number | null {
  const runs = runsOf(program, kernel);
  return runs.length > 0 ? runs.reduce((sum, us) => sum + us, 0) / runs.length : null;
}

/** That of all launches of a choice together; null where one of them is not known. */
export function choiceRunOf(program: Program, { id, graph, chosen_with }: Kernel): number | null {
  const launches = chosen_with.length > 0 ? chosen_with : [id];
  const runs = launches.map((name) => runOf(program, { id: name, graph }));
  return runs.reduce((sum, us) => (sum === null || us === null ? null : sum + us), 0);
}
