/** A pane of one kind of text: captured graph, loops, Triton, C, assembly, other compilers. */
import { artifactsFor, pick, type Shown, type TextPaneId } from "../lib/artifacts";
import { inOrder, titleOf } from "../lib/compilers";
import { functionOf } from "../lib/equal";
import { isFile } from "../lib/files";
import { isOfPlan, labelOf } from "../lib/plans";
import { chooseText } from "../store/choosing";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import { Empty } from "./Empty";
import { FileView } from "./FileView";
import { Grouped } from "./Grouped";
import { NotRun } from "./NotRun";
import { TextView } from "./parts";

export function ArtifactPane({ pane, title }: { pane: TextPaneId; title: string }) {
  const view = useRunView();
  const program = view.program.value;
  const stages = program?.stages.filter(view.isStageShown.value) ?? [];
  const texts = artifactsFor(pane, stages).filter((item) => view.isOfShownKernel(item));
  const items = ofPlan(texts, view.plan.value);
  const shown = pick(items, view.chosenTexts.value[pane], view.selection.value.nodes);
  if (!shown) return <Empty pane={pane} />;
  const chooser = <Chooser pane={pane} title={title} items={items} shown={shown} />;
  if (isFile(shown.artifact)) {
    return (
      <FileView key={shown.key} file={shown.artifact} stage={shown.stage}>
        {chooser}
      </FileView>
    );
  }
  return (
    <TextView
      pane={pane}
      label={`${title}: ${shown.label}`}
      after={shown.artifact}
      place={shown.stage}
      below={pane === "reference" && <NotRun />}
    >
      {chooser}
    </TextView>
  );
}

/** Texts of the plan that is shown; where a pane has none of it (C of a GPU's plan), all. */
function ofPlan(items: readonly Shown[], plan: string): readonly Shown[] {
  const own = items.filter(({ stage }) => isOfPlan(stage, plan));
  return own.length > 0 ? own : items;
}

interface ChooserProps {
  pane: TextPaneId;
  title: string;
  items: readonly Shown[];
  shown: Shown;
}

function Chooser({ pane, title, items, shown }: ChooserProps) {
  const view = useRunView();
  if (items.length === 1) return <span class="pane-name">{shown.label}</span>;
  return (
    <select
      aria-label={`${title}: which text`}
      value={shown.key}
      onChange={(event) => chooseText(view, pane, event.currentTarget.value)}
    >
      {compilersOf(items).map((compiler) => (
        <Grouped key={compiler} label={compiler && titleOf(compiler)}>
          {items
            .filter(({ stage }) => stage.compiler === compiler)
            .map((item) => (
              <option key={item.key} value={item.key}>
                {nameOf(view, pane, items, item)}
              </option>
            ))}
        </Grouped>
      ))}
    </select>
  );
}

const compilersOf = (items: readonly Shown[]): string[] =>
  inOrder(items.map(({ stage }) => stage.compiler));

/** The text's name, with what tells it apart from the others of the pane. */
function nameOf(view: RunView, pane: TextPaneId, items: readonly Shown[], item: Shown): string {
  const { stage, label } = item;
  const differ = (part: (stage: Shown["stage"]) => string) =>
    new Set(items.map((other) => part(other.stage))).size > 1;
  const graphs = view.program.value?.graphs ?? [];
  const graph = graphs.find(({ id }) => id === stage.graph)?.name ?? stage.graph;
  return [
    differ((s) => s.graph) && graph,
    differ((s) => s.backend) && labelOf(stage.backend),
    pane === "reference" && stage.name,
    label,
    timesOf(view, item),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** How often a text is launched, if more than once. */
function timesOf(view: RunView, { stage, artifact }: Shown): string {
  const parts = view.partsOf(stage.graph);
  const launches = view
    .kernelsOf(stage.backend)
    .filter((k) => functionOf(k) === artifact.kernel && parts.has(k.graph));
  return launches.length > 1 ? `${launches.length} times` : "";
}
