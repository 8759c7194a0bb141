/** What every plot stands in: as wide as there is room, an axis with its lines, what it shows in
 * words, and the drawing and its numbers as files. */
import type { ComponentChildren, ComponentProps } from "preact";
import { useRef } from "preact/hooks";
import { microseconds } from "../lib/format";
import type { Scale } from "../lib/plot";
import { csvOf } from "../lib/table";
import { download } from "../store/page";
import type { Table } from "../wire";
import { Icon } from "./Icon";
import { standalone } from "./standalone";
import { useWidth } from "./useWidth";

/** Pixels above the first row. */
export const AXIS = 28;
/** Pixels at the end, where the last tick's text and what is beside the last value stand. */
export const RIGHT = 32;
/** Pixels below the last line, where a plot names its heights: half a name's. */
export const FOOT = 6;

interface Props<S extends Scale> {
  /** Pixels before the axis, for the names of the rows; of those that are there where names are long. */
  left: number | ((width: number) => number);
  /** Pixels below the axis. */
  height: number;
  /** The scale for so many pixels. */
  scale: (room: number) => S;
  /** The plot of so many pixels, with so many for the names of its rows. */
  children: (x: S, room: number, left: number) => ComponentChildren;
  caption: (x: S) => ComponentChildren;
  /** A value of the axis as text; of time in microseconds where nothing is said. */
  format?: (value: number) => string;
  /** What its files are called, and the numbers that it shows; no files without. */
  file?: string;
  table?: () => Table;
  /** What the drawing is to a screen reader, and what it does. */
  svg: ComponentProps<"svg">;
}

export function PlotFrame<S extends Scale>(props: Props<S>) {
  const { height, scale, children, caption, svg, format = microseconds, file, table } = props;
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const left = typeof props.left === "number" ? props.left : props.left(width);
  const room = Math.max(120, width - left - RIGHT);
  const x = scale(room);
  return (
    <figure class="plot" ref={figure}>
      <svg width={width} height={AXIS + height} viewBox={`0 0 ${width} ${AXIS + height}`} {...svg}>
        <g transform={`translate(${left} 0)`}>
          <Axis x={x} height={AXIS + height} format={format} />
          {children(x, room, left)}
        </g>
      </svg>
      <figcaption class="faint">
        <span>{caption(x)}</span>
        {file && <Files figure={figure} file={file} table={table} />}
      </figcaption>
    </figure>
  );
}

interface FilesProps {
  figure: { current: HTMLElement | null };
  file: string;
  table: (() => Table) | undefined;
}

/** The drawing as it is seen, and its numbers. */
function Files({ figure, file, table }: FilesProps) {
  const save = () => {
    const drawing = figure.current?.querySelector("svg");
    if (drawing) download(`${file}.svg`, standalone(drawing, drawing.closest("[data-pane]")));
  };
  return (
    <span class="files">
      <button class="quiet" aria-label={`Download ${file} as SVG`} onClick={save}>
        <Icon name="download" /> SVG
      </button>
      {table && (
        <button
          class="quiet"
          aria-label={`Download ${file} as CSV`}
          onClick={() => download(`${file}.csv`, csvOf(table()))}
        >
          <Icon name="download" /> CSV
        </button>
      )}
    </span>
  );
}

interface AxisProps {
  x: Scale;
  height: number;
  format: (value: number) => string;
}

const Axis = ({ x, height, format }: AxisProps) => (
  <g aria-hidden="true">
    {x.ticks.map((tick) => (
      <g key={tick} transform={`translate(${x.at(tick)} 0)`}>
        <line class="grid" y1={AXIS} y2={height} />
        <text class="tick" y={AXIS - 9} text-anchor="middle">
          {format(tick)}
        </text>
      </g>
    ))}
  </g>
);
