/** A pane of one kind of text: captured graph, loops, Triton, C, assembly, other compilers. */
import { artifactsFor, pick, type Shown, type TextPaneId } from "../lib/artifacts";
import { chooseText } from "../store/choosing";
import { useRunView } from "../store/context";
import { Empty } from "./Empty";
import { TextView } from "./TextView";

export function ArtifactPane({ pane, title }: { pane: TextPaneId; title: string }) {
  const view = useRunView();
  const program = view.program.value;
  const items = program ? artifactsFor(pane, program) : [];
  const shown = pick(items, view.chosenTexts.value[pane], view.selection.value.nodes);
  if (!shown) return <Empty pane={pane} />;
  return (
    <TextView pane={pane} label={`${title}: ${shown.label}`} after={shown.artifact}>
      <Chooser pane={pane} title={title} items={items} shown={shown} />
    </TextView>
  );
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
      {items.map(({ key, label, stage }) => (
        <option key={key} value={key}>
          {pane === "reference" ? `${stage.name} · ${label}` : label}
        </option>
      ))}
    </select>
  );
}
