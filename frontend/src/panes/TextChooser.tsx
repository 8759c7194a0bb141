/** Which of a pane's texts is shown: one list, or, of kernels at several levels, kernel and level. */
import type { Shown, TextPaneId } from "../lib/artifacts";
import { inOrder, titleOf } from "../lib/compilers";
import { functionOf } from "../lib/equal";
import { kernelAndLevel, levelsOf, type Level } from "../lib/levels";
import { labelOf } from "../lib/plans";
import { chooseText } from "../store/choosing";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import { Grouped } from "./Grouped";

interface Props {
  pane: TextPaneId;
  /** What this one of the pane is called. */
  name: string;
  title: string;
  items: readonly Shown[];
  shown: Shown;
}

export function TextChooser({ pane, name, title, items, shown }: Props) {
  const view = useRunView();
  const levels = levelsOf(items);
  if (items.length === 1) return <span class="pane-name">{shown.label}</span>;
  if (levels !== null) return <Apart {...{ pane, name, title, levels, items, shown }} />;
  return (
    <select
      aria-label={`${title}: which text`}
      value={shown.key}
      onChange={(event) => chooseText(view, name, event.currentTarget.value)}
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

function Apart({ pane, name, title, levels, items, shown }: Props & { levels: readonly Level[] }) {
  const view = useRunView();
  const own = kernelAndLevel(shown);
  const choose = (kernel: string, kind: string) => {
    const of = items.filter((item) => kernelAndLevel(item).kernel === kernel);
    const found = of.find(({ artifact }) => artifact.kind === kind) ?? of[0];
    if (found) chooseText(view, name, found.key);
  };
  const firsts = items.filter(
    (item, at) =>
      items.findIndex((other) => kernelAndLevel(other).kernel === kernelAndLevel(item).kernel) ===
      at,
  );
  return (
    <>
      <select
        aria-label={`${title}: which kernel`}
        value={own.kernel}
        onChange={(event) => choose(event.currentTarget.value, own.kind)}
      >
        {firsts.map((item) => (
          <option key={item.key} value={kernelAndLevel(item).kernel}>
            {nameOf(view, pane, items, { ...item, label: item.artifact.kernel ?? item.label })}
          </option>
        ))}
      </select>
      <select
        aria-label={`${title}: which level`}
        value={own.kind}
        onChange={(event) => choose(own.kernel, event.currentTarget.value)}
      >
        {levels.map(({ kind, name }) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </select>
    </>
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
