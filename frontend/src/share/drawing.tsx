/** The fusion graph of a program as a file, whether or not it is drawn on the page. */
import { render } from "preact";
import { collapsed, isLarge } from "../graph/collapse";
import { drawingOf } from "../graph/drawing";
import { placed } from "../graph/elk";
import { parseIr } from "../graph/irtext";
import { framed, homesOf, pathsOf, type Homes } from "../graph/modules";
import { UNGROUPED, type Drawing } from "../graph/parts";
import { equalOnce } from "../graph/repeats";
import { resultsTogether } from "../graph/results";
import { drawnGraph, stepsOf } from "../graph/steps";
import { isOfPlan } from "../lib/plans";
import { getText, type Text } from "../net/texts";
import { coreGrouping } from "../panes/coreGrouping";
import { FusionDrawing } from "../panes/FusionDrawing";
import { standalone } from "../panes/standalone";
import type { Artifact, Program } from "../wire";

const NONE: ReadonlySet<string> = new Set();

/** In the colours of the theme that is on, or of the light one whichever is. */
export type Scheme = "inherit" | "light";

/** The fused graph of a program of the run with this id, as SVG; null where there is none to draw. */
export async function fusionSvg(
  run: string,
  program: Program,
  scheme: Scheme = "inherit",
): Promise<string | null> {
  const graph = drawnGraph(program, null);
  const step = graph === null ? undefined : stepsOf(program, graph, program.backend).at(-1);
  const text = step && (await textOf(run, step.artifact));
  const ir = text && parseIr(text.text, text.nodes);
  if (!ir || graph === null) return null;
  const kernels = program.kernels.filter((kernel) => isOfPlan(kernel, program.backend));
  const grouping = step.isFused
    ? coreGrouping(program, graph, program.backend, kernels)
    : UNGROUPED;
  const whole = drawingOf(ir, grouping, { views: false, inputs: false });
  const drawing = readable(whole, homesOf(whole.hulls, pathsOf(program)));
  return drawing.boxes.length === 0 ? null : drawn(drawing, ir.name, scheme);
}

/** As the page draws it at first. */
function readable(whole: Drawing, homes: Homes): Drawing {
  const once = framed(equalOnce(whole, homes), homes);
  return resultsTogether(collapsed(once, () => isLarge(once)));
}

async function textOf(run: string, artifact: Artifact): Promise<Text | null> {
  if (artifact.text !== "" || !artifact.stored) return artifact;
  const answer = await getText(run, artifact.stored.sha256, () => {});
  return answer.ok ? answer.value : null;
}

/** Its rules are found where it is a part of the page, which nobody sees or reads meanwhile. */
async function drawn(drawing: Drawing, name: string, scheme: Scheme): Promise<string> {
  const laid = { drawing, placed: await placed(drawing) };
  const host = document.createElement("div");
  host.className = "unseen";
  host.inert = true;
  host.style.colorScheme = scheme;
  document.body.append(host);
  try {
    render(
      <FusionDrawing laid={laid} name={name} scale={1} lit={NONE} found={null} active={null} />,
      host,
    );
    return standalone(host.querySelector("svg")!);
  } finally {
    render(null, host);
    host.remove();
  }
}
