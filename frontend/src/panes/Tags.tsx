/** The graph and the plan that something is of, where the program has several. */
import { isDivided, type Place } from "../lib/graphs";
import { labelOf } from "../lib/plans";
import { useRunView } from "../store/context";

/** The graph's name, where that is not what stands beside it. */
export function GraphTag({ of, unless }: { of: Place; unless?: string }) {
  const program = useRunView().program.value;
  const graph = program?.graphs.find(({ id }) => id === of.graph);
  if (!program || !isDivided(program) || !graph || graph.parent === null) return null;
  if (graph.name === unless) return null;
  return <span class="tag">{graph.name}</span>;
}

export function PlanTag({ of: { backend } }: { of: Place }) {
  const { backends } = useRunView();
  if (backends.value.length < 2 || backend === "") return null;
  return <span class="tag">{labelOf(backend)}</span>;
}
