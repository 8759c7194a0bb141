/** What the core fused in a graph, each kernel in the hue that it has on the page. */
import { kernelGrouping } from "../graph/kernels";
import type { Grouping } from "../graph/parts";
import { hueOfKernel } from "../lib/linemap";
import { isOfPlan } from "../lib/plans";
import type { Kernel, Program } from "../wire";

/** `kernels` are all of the plan's, over all graphs: their places are their hues. */
export function coreGrouping(
  program: Program,
  graph: string,
  plan: string,
  kernels: readonly Kernel[],
): Grouping {
  const isOwn = (each: { graph: string; backend: string }) =>
    each.graph === graph && isOfPlan(each, plan);
  const graphs = new Set([graph]);
  return kernelGrouping({
    kernels: program.kernels.filter(isOwn),
    refusals: program.fusion_refusals.filter(isOwn),
    hueOf: ({ id }) => hueOfKernel(kernels, id, graphs),
    costOf: (kernel) => costOf(program, kernel),
  });
}

/** The estimate for the target, else what the chosen schedule was reckoned to take. */
function costOf({ resources }: Program, { id, graph, backend, candidates, chosen_with }: Kernel) {
  const own = resources.find(
    (each) => each.kernel === id && each.graph === graph && isOfPlan(each, backend),
  );
  if (own && own.estimate_us !== null) return own.estimate_us;
  if (chosen_with.length > 1) return null;
  return candidates.find(({ chosen }) => chosen)?.cost_us ?? null;
}
