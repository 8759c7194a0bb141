/** A stage's tables, whatever they are of: guards, phases, instructions, buffers. */
import { useMemo, useState } from "preact/hooks";
import { inOrder, titleOf } from "../lib/compilers";
import { plural } from "../lib/format";
import { arranged, csvOf, tablesOf, type Order, type ShownTable } from "../lib/table";
import { chooseText } from "../store/choosing";
import { useRunView } from "../store/context";
import { download } from "../store/page";
import { Empty } from "./Empty";
import { Grouped } from "./Grouped";
import { Grid } from "./Grid";
import { Icon } from "./Icon";

const PANE = "tables";

export function TablesPane() {
  const view = useRunView();
  const items = tablesOf(view.stages.value.filter(view.isStageShown.value));
  const own = items.find(({ stage }) => stage === view.stage.value);
  const shown = items.find(({ key }) => key === view.chosenTexts.value[PANE]) ?? own;
  if (items.length === 0) return <Empty pane={PANE} />;
  if (!shown) return <Which items={items} />;
  return <One key={shown.key} items={items} shown={shown} />;
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

function One({ items, shown }: { items: readonly ShownTable[]; shown: ShownTable }) {
  const [filter, setFilter] = useState("");
  const [order, setOrder] = useState<Order>(null);
  const { table, stage } = shown;
  const rows = useMemo(() => arranged(table, filter, order), [table, filter, order]);
  const total = plural(table.rows.length, "row");
  return (
    <div class="pane">
      <div class="pane-head">
        <Chooser items={items} shown={shown} />
        <span class="spacer" />
        <span class="faint number wide-only" role="status">
          {rows.length < table.rows.length ? `${rows.length} of ${total}` : total}
        </span>
        <input
          type="search"
          class="filter"
          aria-label={`Filter ${table.name}`}
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button
          class="quiet"
          title="Download as CSV"
          aria-label={`Download ${table.name} as CSV`}
          onClick={() => download(`${stage.name}-${table.name}.csv`, csvOf(table))}
        >
          <Icon name="download" />
        </button>
      </div>
      {table.about !== "" && <p class="note about">{table.about}</p>}
      <Grid table={table} rows={rows} order={order} onOrder={setOrder} />
    </div>
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
