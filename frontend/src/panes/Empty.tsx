/** What a pane says before it has anything to show. */
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import { NotRun } from "./NotRun";
import { RunIt } from "./RunIt";

const ABOUT: Record<string, string> = {
  stages:
    "Every stage of the compilation, as it happens: capture, passes, fusion, code, measurement.",
  ir: "The tensor IR before and after every pass, as a difference.",
  fusion: "The operations as a graph, in the kernels that run them; what was not fused, and why.",
  captured: "The graph as the framework captured it: ATen for PyTorch, a jaxpr for JAX.",
  loops: "The fused kernels as loops, from which Triton and C are both written.",
  triton: "The generated Triton, one kernel for each fusion group.",
  c: "The generated C that runs on the CPU.",
  assembly: "What Triton becomes for the chosen GPU: PTX, and the levels on the way.",
  reference: "What TorchInductor and XLA make of the same program. Tick them under Compilers.",
  kernels: "Launches with their traffic, and why the rest was not fused.",
  why: "Why it is not faster: graph breaks, recompiles, what was not fused, library calls, each with your line and what to do.",
  timings: "Interleaved samples of eager and compiled, with their spread.",
  timeline: "What runs in one call and when, for each compiler. Tick Timeline in the options.",
  numerics: "The error of every compiler against float64.",
  memory: "Every buffer's life and place in memory.",
  mesh: "The devices of a JAX program's mesh, and which part of each array they hold. Tick Sharding under Look inside.",
  agreement:
    "Each edge of the captured graph with what every compiler made of it: fused, or not and why. Tick compilers under Look inside.",
  tables:
    "Guards, phases, instructions, buffers: the tables of other compilers' stages. Tick a compiler under Look inside.",
  output: "What the snippet printed, notices, and the versions that ran it.",
};

const WELL = "Nothing went otherwise than one may hope for.";

const SLOWER =
  "No compiler gives a reason, yet the core is slower: Kernels has each launch's time.";

/** The panes of what is made for a GPU. */
const OF_TARGET = ["triton", "assembly"];
const UNTARGETED = "The run was to compile for no other than what runs it: choose a target.";

/** Under the editor stands why, or what is asked. */
const ENDED = "The snippet came to no program: under the editor stands why.";

export function Empty({ pane }: { pane: string }) {
  const view = useRunView();
  if (view.coming.value && view.run.value === null) return <div class="pane" />;
  const about = ABOUT[pane] ?? "";
  return (
    <div class="pane empty">
      <p>{about}</p>
      <p class="faint">{reason(view, pane)}</p>
      {pane === "reference" && <NotRun />}
      <RunIt />
    </div>
  );
}

function reason({ busy, run, program, source }: RunView, pane: string): string {
  if (busy.value) return "Not there yet.";
  if (run.value === null)
    return source.value.trim() === ""
      ? "Nothing has run yet: paste a snippet, or begin with an example."
      : "What is in the editor has not been run yet.";
  if (run.value.state === "cancelled") return "The run was cancelled before it came to this.";
  const failed = run.value.state === "failed";
  if (program.value === null) return failed ? ENDED : "No program was found in this run.";
  if (failed) return "The run failed before it came to this.";
  if (pane === "why") return program.value.timings.core?.verdict === "slower" ? SLOWER : WELL;
  if (pane === "timings" && !run.value.options.measure) return "Measuring was off in this run.";
  if (OF_TARGET.includes(pane) && run.value.options.target === "none") return UNTARGETED;
  return "This run has none.";
}
