/** A pane of one kind of text: captured graph, loops, Triton, C, assembly, other compilers. */
import { artifactsFor, pick, type Shown, type TextPaneId } from "../lib/artifacts";
import { isFile } from "../lib/files";
import { isOfPlan } from "../lib/plans";
import { useRunView } from "../store/context";
import { Empty } from "./Empty";
import { useInstance } from "./instance";
import { NotRun } from "./NotRun";
import { FileView, TextView } from "./parts";
import { TextChooser } from "./TextChooser";

export function ArtifactPane({ pane, title }: { pane: TextPaneId; title: string }) {
  const view = useRunView();
  const program = view.program.value;
  const stages = program?.stages.filter(view.isStageShown.value) ?? [];
  const texts = artifactsFor(pane, stages).filter((item) => view.isOfShownKernel(item));
  const items = ofPlan(texts, view.plan.value);
  const name = useInstance(pane);
  const shown = pick(items, view.chosenTexts.value[name], view.selection.value);
  if (!shown) return <Empty pane={pane} />;
  const chooser = <TextChooser pane={pane} name={name} title={title} items={items} shown={shown} />;
  if (isFile(shown.artifact)) {
    return (
      <FileView key={shown.key} file={shown.artifact} stage={shown.stage}>
        {chooser}
      </FileView>
    );
  }
  return (
    <TextView
      pane={name}
      isRepeatable
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
