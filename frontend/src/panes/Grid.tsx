/**
 * A table of any length: only the rows that can be seen are drawn. Its rows are walked with the arrow
 * keys; the one walked to lights up everywhere, and is shown in full below.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  cellText,
  fitted,
  isNumeric,
  reordered,
  whyOf,
  widthsOf,
  windowOf,
  type Order,
} from "../lib/table";
import { select, selectSourceLine } from "../store/choosing";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import type { Row, Table } from "../wire";
import { Icon } from "./Icon";
import { Lines } from "./Lines";
import { useWidth } from "./useWidth";

interface Props {
  table: Table;
  /** The places of the rows to show, in order. */
  rows: readonly number[];
  order: Order;
  onOrder: (order: Order) => void;
}

const ORIGIN = "tables";
/** The width of a letter of the table's face, rounded up, and of the column of lines in letters. */
const LETTER_PX = 7.3;
const LINE_CH = 8;
const STEPS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  End: Infinity,
  Home: -Infinity,
};

export function Grid({ table, rows, order, onOrder }: Props) {
  const view = useRunView();
  const id = `${view.prefix}-row`;
  const scroller = useRef<HTMLDivElement>(null);
  const { height, room, from, to, reveal } = useWindow(scroller, rows.length);
  const [active, setActive] = useState<number | null>(null);
  const numeric = useMemo(() => table.columns.map((_, at) => isNumeric(table, at)), [table]);
  const wanted = useMemo(() => widthsOf(table), [table]);
  const lined = useMemo(() => table.rows.some(({ line }) => line !== null), [table]);
  const letters = Math.floor(useWidth(scroller) / LETTER_PX) - (lined ? LINE_CH : 0);
  const widths = useMemo(() => fitted(wanted, numeric, letters), [wanted, numeric, letters]);
  const needed = widths.reduce((a, b) => a + b, lined ? LINE_CH : 0);
  const isCrowded = widths.length > 2 && needed > letters + (lined ? LINE_CH : 0);
  const { nodes, origin } = view.selection.value;
  const isLit = (row: Row) => row.nodes.some((node) => nodes.has(node));

  useEffect(() => {
    if (origin === ORIGIN || nodes.size === 0) return;
    const at = rows.findIndex((row) => isLit(table.rows[row]!));
    if (at >= 0) reveal(at);
  }, [nodes]);

  // Again when there is less room: the row in full takes some.
  useEffect(() => {
    if (active !== null) reveal(rows.indexOf(active));
  }, [active, room]);

  const choose = (row: number) => {
    setActive(row);
    light(view, table.rows[row]!);
  };
  const walk = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.target !== event.currentTarget || rows.length === 0) return;
    if (step === undefined) {
      const line = event.key === "Enter" && active !== null ? table.rows[active]!.line : null;
      if (line !== null) view.navigation.goToLine(line);
      return;
    }
    event.preventDefault();
    const at = active === null ? -1 : rows.indexOf(active);
    const next = Math.min(rows.length - 1, Math.max(0, at + step));
    choose(rows[next]!);
  };

  return (
    <>
      <div class="pane-body grid-scroll" ref={scroller}>
        <table
          class={isCrowded ? "table grid crowded" : "table grid"}
          role="grid"
          tabIndex={0}
          aria-label={table.name}
          aria-rowcount={rows.length + 1}
          aria-activedescendant={active === null ? undefined : `${id}-${active}`}
          style={{ "--needed": `${needed}ch` }}
          onKeyDown={walk}
        >
          <colgroup>
            {widths.map((width, at) => (
              <col key={at} style={{ width: `${width}ch` }} />
            ))}
            {lined && <col style={{ width: `${LINE_CH}ch` }} />}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {table.columns.map(({ title, about }, at) => (
                <th
                  key={at}
                  scope="col"
                  class={numeric[at] ? "number" : ""}
                  aria-sort={sorting(order, at)}
                >
                  <button
                    class="sort"
                    title={about || undefined}
                    onClick={() => onOrder(reordered(order, at, numeric[at]!))}
                  >
                    {title}
                    {order?.column === at && <Icon name={order.down ? "down" : "up"} />}
                  </button>
                </th>
              ))}
              {lined && (
                <th scope="col" class="of-line">
                  Line
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            <Gap height={from * height} columns={widths.length + 1} />
            {rows.slice(from, to).map((row, at) => (
              <GridRow
                key={row}
                id={`${id}-${row}`}
                place={from + at + 2}
                table={table}
                row={table.rows[row]!}
                numeric={numeric}
                lined={lined}
                lit={isLit(table.rows[row]!)}
                active={row === active}
                onChoose={() => choose(row)}
              />
            ))}
            <Gap height={(rows.length - to) * height} columns={widths.length + 1} />
          </tbody>
        </table>
        {rows.length === 0 && <p class="note">No row has that.</p>}
      </div>
      {active !== null && <Whole table={table} row={table.rows[active]!} />}
    </>
  );
}

const sorting = (order: Order, column: number) =>
  order?.column !== column ? "none" : order.down ? "descending" : "ascending";

function light(view: RunView, { nodes, line }: Row): void {
  if (nodes.length > 0 || line === null) select(view, new Set(nodes), ORIGIN);
  else selectSourceLine(view, line);
}

/** Which rows can be seen, and how one is brought into sight. */
function useWindow(scroller: { current: HTMLDivElement | null }, total: number) {
  const [{ top, room }, setSeen] = useState({ top: 0, room: 400 });
  const [height, setHeight] = useState(24);
  useEffect(() => {
    const element = scroller.current!;
    const look = () => setSeen({ top: element.scrollTop, room: element.clientHeight });
    const sized = new ResizeObserver(look);
    sized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  useLayoutEffect(() => {
    const row = scroller.current!.querySelector("tbody tr[aria-rowindex]");
    const measured = row?.getBoundingClientRect().height ?? 0;
    if (measured > 0 && Math.abs(measured - height) > 0.1) setHeight(measured);
  });
  const reveal = (at: number) => {
    if (at < 0) return;
    const element = scroller.current!;
    const head = element.querySelector("thead")!.getBoundingClientRect().height;
    const { scrollTop, clientHeight } = element;
    const [above, below] = [at * height, (at + 1) * height + head];
    if (above < scrollTop) element.scrollTop = above;
    else if (below > scrollTop + clientHeight) element.scrollTop = below - clientHeight;
  };
  return { height, room, reveal, ...windowOf(total, height, top, room) };
}

/** Room for rows that are not drawn. */
const Gap = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  ) : null;

interface RowProps {
  id: string;
  place: number;
  table: Table;
  row: Row;
  numeric: readonly boolean[];
  lined: boolean;
  lit: boolean;
  active: boolean;
  onChoose: () => void;
}

function GridRow(props: RowProps) {
  const { id, place, table, row, numeric, lined, lit, active, onChoose } = props;
  return (
    <tr
      id={id}
      class={[lit && "lit", active && "active"].filter(Boolean).join(" ")}
      aria-rowindex={place}
      aria-selected={active}
      onClick={onChoose}
    >
      {table.columns.map((column, at) => {
        const text = cellText(row.cells[at], column);
        const why = whyOf(row, at);
        return (
          <td
            key={at}
            class={numeric[at] ? "number" : ""}
            title={why || (text.length > 24 ? text : undefined)}
          >
            {text}
          </td>
        );
      })}
      {lined && (
        <td class="of-line">
          <Lines lines={[row.line]} />
        </td>
      )}
    </tr>
  );
}

/** A row in full: its cells may have more text than a column has room for. */
function Whole({ table, row }: { table: Table; row: Row }) {
  return (
    <dl class="whole" tabIndex={0} aria-label="The row in full">
      {table.columns.map((column, at) => (
        <div key={at}>
          <dt>{column.title}</dt>
          <dd>
            {cellText(row.cells[at], column)}
            {whyOf(row, at) !== "" && <span class="faint"> {whyOf(row, at)}</span>}
          </dd>
        </div>
      ))}
      {row.line !== null && (
        <div>
          <dt>Line</dt>
          <dd>
            <Lines lines={[row.line]} />
          </dd>
        </div>
      )}
    </dl>
  );
}
