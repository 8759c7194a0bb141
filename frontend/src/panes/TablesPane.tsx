/** A stage's tables, whatever they are of: guards, phases, instructions, buffers. */
import { inOrder, titleOf } from "../lib/compilers";
import { tablesOf, type ShownTable } from "../lib/table";
import { chooseText } from "../store/choosing";
import { useRunView } from "../store/context";
import { Empty } from "./Empty";
import { Grouped } from "./Grouped";
import { TableView } from "./TableView";

const PANE = "tables";

export function TablesPane() {
  const view = useRunView();
  const items = tablesOf(view.stages.value.filter(view.isStageShown.value));
  const own = items.find(({ stage }) => stage === view.stage.value);
  const shown = items.find(({ key }) => key === view.chosenTexts.value[PANE]) ?? own;
  if (items.length === 0) return <Empty pane={PANE} />;
  if (!shown) return <Which items={items} />;
  const { table, stage } = shown;
  return (
    <TableView key={shown.key} table={table} file={`${stage.name}-${table.name}.csv`}>
      <Chooser items={items} shown={shown} />
    </TableView>
  );
}

/** The stages that have any, where the chosen one has none. */
function Which({ items }: { items: readonly ShownTable[] }) {
  const view = useRunView();
  return (
    <div class="pane empty">
      <p>The chosen stage has no table. These have one:</p>
      <ul class="which">
        {items.map(({ key, stage, table }) => (
          <li key={key}>
            <button onClick={() => chooseText(view, PANE, key)}>
              {nameOf(stage.compiler, stage.name)} · {table.name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const nameOf = (compiler: string, stage: string): string =>
  [compiler && titleOf(compiler), stage].filter(Boolean).join(" · ");

function Chooser({ items, shown }: { items: readonly ShownTable[]; shown: ShownTable }) {
  const view = useRunView();
  return (
    <select
      aria-label="Which table"
      value={shown.key}
      onChange={(event) => chooseText(view, PANE, event.currentTarget.value)}
    >
      {inOrder(items.map(({ stage }) => stage.compiler)).map((compiler) => (
        <Grouped key={compiler} label={compiler && titleOf(compiler)}>
          {items
            .filter(({ stage }) => stage.compiler === compiler)
            .map(({ key, stage, table }) => (
              <option key={key} value={key}>
                {stage.name} · {table.name}
              </option>
            ))}
        </Grouped>
      ))}
    </select>
  );
}
