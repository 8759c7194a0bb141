/** A stage's tables, whatever they are of: guards, phases, instructions, buffers. */
import { inOrder, titleOf } from "../lib/compilers";
import { tablesOf, type ShownTable } from "../lib/tables";
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
  const chosen = items.find(({ key }) => key === view.chosenTexts.value[PANE]?.key);
  const shown = chosen ?? own ?? items[0];
  if (!shown) return <Empty pane={PANE} />;
  const { table, stage } = shown;
  return (
    <TableView key={shown.key} table={table} file={`${stage.name}-${table.name}.csv`}>
      <Chooser items={items} shown={shown} />
    </TableView>
  );
}

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
