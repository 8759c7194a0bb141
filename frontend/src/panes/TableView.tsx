/** The one view of every table: filtered, sorted, saved. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { plural } from "../lib/format";
import { arranged, csvOf, type Order } from "../lib/table";
import { download } from "../store/page";
import type { Table } from "../wire";
import { Grid } from "./Grid";
import { Icon } from "./Icon";

interface Props {
  table: Table;
  /** What it is called as a file. */
  file: string;
  /** What stands in the pane's head, before the filter. */
  children: ComponentChildren;
  /** What stands over the rows. */
  above?: ComponentChildren;
}

export function TableView({ table, file, children, above }: Props) {
  const [filter, setFilter] = useState("");
  const [order, setOrder] = useState<Order>(null);
  const rows = useMemo(() => arranged(table, filter, order), [table, filter, order]);
  const total = plural(table.rows.length, "row");
  return (
    <div class={above ? "pane tall" : "pane"}>
      <div class="pane-head wraps">
        {children}
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
          onClick={() => download(file, csvOf(table))}
        >
          <Icon name="download" />
        </button>
      </div>
      {table.about !== "" && <p class="note about">{table.about}</p>}
      {above}
      <Grid table={table} rows={rows} order={order} onOrder={setOrder} />
    </div>
  );
}
