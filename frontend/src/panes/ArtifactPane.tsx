/** A pane of one kind of text: captured graph, loops, Triton, C, assembly, other compilers. */
import { artifactsFor, pick, type Shown, type TextPaneId } from "../lib/artifacts";
import { chooseText } from "../store/actions";
import { chosenTexts, program, selection } from "../store/state";
import { Empty } from "./Empty";
import { TextView } from "./TextView";

export function ArtifactPane({ pane, title }: { pane: TextPaneId; title: string }) {
  const items = program.value ? artifactsFor(pane, program.value) : [];
  const shown = pick(items, chosenTexts.value[pane], selection.value.nodes);
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
  if (items.length === 1) return <span class="pane-name">{shown.label}</span>;
  return (
    <select
      aria-label={`${title}: which text`}
      value={shown.key}
      onChange={(event) => chooseText(pane, event.currentTarget.value)}
    >
      {items.map(({ key, label, stage }) => (
        <option key={key} value={key}>
          {pane === "reference" ? `${stage.name} · ${label}` : label}
        </option>
      ))}
    </select>
  );
}
