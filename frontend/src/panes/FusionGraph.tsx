/** The graph of operations, in the kernels that run them: what was fused, and what was not and why. */
import { useMemo, useState } from "preact/hooks";
import { collapsed, isLarge } from "../graph/collapse";
import { drawingOf } from "../graph/drawing";
import { UNGROUPED } from "../graph/parts";
import { parseIr } from "../graph/irtext";
import { framed, hasModules, homesOf, pathsOf } from "../graph/modules";
import { namesOf } from "../graph/names";
import { drawnGraph, stepAt, stepsOf, type Step } from "../graph/steps";
import { grouping, othersGrouping } from "../graph/others";
import { equalOnce } from "../graph/repeats";
import { resultsTogether } from "../graph/results";
import { sectionGrouping } from "../graph/sections";
import { inOrder } from "../lib/compilers";
import { labelOf } from "../lib/plans";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import type { Program } from "../wire";
import { coreGrouping } from "./coreGrouping";
import { Empty } from "./Empty";
import { Choice, FusionBar } from "./FusionBar";
import { FusionCanvas } from "./FusionCanvas";
import { Missing } from "./Missing";
import { useText } from "./useText";

const PANE = "fusion";
const CORE = "core";

// Beyond so many, arguments are left out at first: most are weights.
const MOST_INPUTS = 12;

// Of more edges the table has those of the drawing, whose kernels may be closed.
const MOST_LISTED = 1000;

// Of fewer boxes one sees at once which kernels there are.
const SEVERAL_BOXES = 24;

const BY_LINE = "Many operations, so by line of the snippet: a double click opens one";
const BY_MODULE = "Many operations, so by module or function: a double click opens one";

export function FusionGraph() {
  const view = useRunView();
  const program = view.program.value;
  const graph = program && drawnGraph(program, view.graph.value?.id ?? null);
  const plan = view.onePlan.value;
  const steps = useMemo(
    () => (program && graph !== null ? stepsOf(program, graph, plan) : []),
    [program, graph, plan],
  );
  const step = steps[stepAt(steps, view.chosenStage.value)];
  if (!program || graph === null || !step) return <Empty pane={PANE} />;
  return <Drawn program={program} graph={graph} steps={steps} step={step} />;
}

interface Props {
  program: Program;
  graph: string;
  steps: readonly Step[];
  step: Step;
}

function Drawn({ program, graph, steps, step }: Props) {
  const view = useRunView();
  const looked = useText(step.artifact, true);
  const { text, nodes } = looked.artifact;
  const ir = useMemo(() => parseIr(text, nodes), [text, nodes]);
  const [views, setViews] = useState(false);
  const [inputs, setInputs] = useState<boolean | null>(null);
  const showsInputs = inputs ?? (ir?.inputs.length ?? 0) <= MOST_INPUTS;
  const plan = view.onePlan.value;
  const [chosen, setChosen] = useState(CORE);
  const compilers = useMemo(() => inOrder([CORE, ...grouping(program, plan)]), [program, plan]);
  const by = compilers.includes(chosen) ? chosen : CORE;
  const kernels = useMemo(() => {
    if (!step.isFused) return UNGROUPED;
    if (by !== CORE) return othersGrouping(program, by, plan);
    return coreGrouping(program, graph, plan, view.kernelsOf(plan));
  }, [program, graph, step.isFused, plan, by]);
  const wanted = { views, inputs: showsInputs };
  const flat = useMemo(
    () => ir && drawingOf(ir, kernels, wanted),
    [ir, kernels, views, showsInputs],
  );
  const paths = useMemo(() => pathsOf(program), [program]);
  const byModule = hasModules(paths);
  const isSections = kernels === UNGROUPED && flat !== null && isLarge(flat, byModule);
  const whole = useMemo(
    () => (ir && isSections ? drawingOf(ir, sectionGrouping(ir, program), wanted) : flat),
    [ir, isSections, flat],
  );
  // Of another compiler nothing is decided here, and before fusion nothing is apart.
  const names = useMemo(
    () => (ir && step.isFused && by === CORE && !view.isReader ? namesOf(ir) : null),
    [ir, step.isFused, by],
  );
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [once, setOnce] = useState(true);
  const homes = useMemo(() => homesOf(whole?.hulls ?? [], paths), [whole, paths]);
  const folded = useMemo(() => whole && equalOnce(whole, homes), [whole, homes]);
  const [closes, setCloses] = useState<boolean | null>(null);
  const drawn = useMemo(() => {
    const chosen = once ? folded : whole;
    return chosen && framed(chosen, homes);
  }, [once, folded, whole, homes]);
  const areClosed =
    closes ?? (drawn !== null && isLarge(drawn, (isSections && byModule) || undefined));
  const drawing = useMemo(
    () => drawn && resultsTogether(collapsed(drawn, (hull) => areClosed !== turned.has(hull))),
    [drawn, areClosed, turned],
  );
  const listed = useMemo(() => drawn && resultsTogether(drawn), [drawn]);
  const closeAll = (on: boolean) => {
    setTurned(new Set());
    setCloses(on);
  };
  return (
    <div class="pane fusion">
      <FusionBar steps={steps} step={step} by={by} compilers={compilers} onBy={setChosen} />
      {looked.missing && <Missing looked={looked} />}
      {drawing && ir && (
        <FusionCanvas
          key={`${graph}/${plan}/${by}`}
          drawing={drawing}
          listed={listed && listed.lines.length <= MOST_LISTED ? listed : drawing}
          name={`${ir.name} after ${step.name}`}
          told={
            isSections
              ? byModule
                ? BY_MODULE
                : BY_LINE
              : step.isFused && by === CORE
                ? fusedBy(view, step)
                : ""
          }
          names={names}
          onTurn={(hull) => setTurned(turnedBy(turned, hull))}
        >
          <Choice label="Views" on={views} onChange={setViews} />
          {folded !== whole && <Choice label="Equal blocks once" on={once} onChange={setOnce} />}
          <Choice label="Arguments" on={showsInputs} onChange={setInputs} />
          {(drawn?.boxes.length ?? 0) > SEVERAL_BOXES && (drawn?.hulls.length ?? 0) > 0 && (
            <Choice
              label={isSections ? "Modules closed" : "Kernels closed"}
              on={areClosed}
              onChange={closeAll}
            />
          )}
        </FusionCanvas>
      )}
      {!looked.missing && !ir && <p class="note">This text is no graph that could be drawn.</p>}
    </div>
  );
}

/** What the stage says that fused: the same wherever it is told, whatever of it is drawn. */
function fusedBy({ stages, backends }: RunView, { index }: Step): string {
  const { summary = "", backend = "" } = stages.value[index] ?? {};
  const several = backends.value.length > 1 && backend !== "" && summary !== "";
  return several ? `${labelOf(backend)}: ${summary}` : summary;
}

function turnedBy(turned: ReadonlySet<string>, hull: string): ReadonlySet<string> {
  const rest = [...turned].filter((other) => other !== hull);
  return new Set(turned.has(hull) ? rest : [...rest, hull]);
}
