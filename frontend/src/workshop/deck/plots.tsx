/** The page's plots, each drawn alone for the run around it. */
import type { ComponentType } from "preact";
import { worstFirst } from "../../lib/precision";
import { NOTHING_KEPT, placedOf, stepsOf } from "../../lib/memory";
import { CompilePlot } from "../../panes/CompilePlot";
import { Empty } from "../../panes/Empty";
import { KernelErrorPlot } from "../../panes/KernelErrorPlot";
import { MemoryMap } from "../../panes/MemoryMap";
import { RooflinePlot } from "../../panes/RooflinePlot";
import { TimelinePlot } from "../../panes/TimelinePlot";
import { TimingPlot } from "../../panes/TimingPlot";
import { useRunView } from "../../store/context";
import type { RunView } from "../../store/runview";
import type { Program } from "../../wire";
import { PLOT_PANES } from "./looks";

/** As many kernels as can be told apart in a deck. */
const FEW = 12;

interface PlotInfo {
  has: (program: Program) => boolean;
  Drawing: ComponentType<{ program: Program; view: RunView }>;
}

const PLOTS: Record<string, PlotInfo> = {
  timings: {
    has: ({ timings }) => Object.keys(timings).length > 0,
    Drawing: ({ program }) => <TimingPlot program={program} />,
  },
  compile: {
    has: ({ timings }) => Object.keys(timings).length > 0,
    Drawing: ({ program }) => <CompilePlot program={program} />,
  },
  roofline: {
    has: ({ kernels }) => kernels.length > 0,
    Drawing: Roofline,
  },
  memory: {
    has: ({ buffers }) => buffers.some(({ compiler }) => compiler === ""),
    Drawing: Memory,
  },
  errors: {
    has: ({ kernel_errors }) => kernel_errors.length > 0,
    Drawing: Errors,
  },
  timeline: {
    has: ({ timelines }) => timelines.length > 0,
    Drawing: ({ program }) => <TimelinePlot lanes={program.timelines} />,
  },
};

export function Plot({ name }: { name: string }) {
  const view = useRunView();
  const program = view.program.value;
  const { has, Drawing } = PLOTS[name]!;
  if (program === null || !has(program)) return <Empty pane={PLOT_PANES[name]!} />;
  return <Drawing program={program} view={view} />;
}

interface Drawn {
  program: Program;
  view: RunView;
}

function Roofline({ program, view }: Drawn) {
  const kernels = program.kernels.filter(view.isShown.value);
  return <RooflinePlot program={{ ...program, kernels }} backend={view.onePlan.value} />;
}

/** The plan that the program runs on, of its first graph. */
function Memory({ program, view }: Drawn) {
  const plan = view.onePlan.value;
  const graph = program.graphs.find(({ id }) => program.buffers.some((b) => b.graph === id));
  const buffers = program.buffers.filter(
    (each) =>
      each.compiler === "" &&
      (each.backend === plan || each.backend === "") &&
      each.graph === (graph?.id ?? ""),
  );
  const placed = placedOf(buffers);
  if (placed.length === 0) return <p class="note">{NOTHING_KEPT}</p>;
  return (
    <MemoryMap placed={placed} steps={stepsOf(buffers)} backend={plan} graph={graph ?? null} />
  );
}

function Errors({ program, view }: Drawn) {
  const errors = worstFirst(program.kernel_errors.filter(view.isShown.value));
  return <KernelErrorPlot errors={errors.slice(0, FEW)} />;
}
