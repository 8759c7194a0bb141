/** What every plot stands in: as wide as there is room, an axis of time with its lines, what it
 * shows in words. */
import type { ComponentChildren, ComponentProps } from "preact";
import { useRef } from "preact/hooks";
import { microseconds } from "../lib/format";
import type { Scale } from "../lib/plot";
import { useWidth } from "./useWidth";

/** Pixels above the first row. */
export const AXIS = 28;
/** Pixels at the end, where the last tick's text and what is beside the last value stand. */
export const RIGHT = 32;

interface Props<S extends Scale> {
  /** Pixels before the axis, for the names of the rows. */
  left: number;
  /** Pixels below the axis. */
  height: number;
  /** The scale for so many pixels. */
  scale: (room: number) => S;
  /** The plot of so many pixels. */
  children: (x: S, room: number) => ComponentChildren;
  caption: (x: S) => ComponentChildren;
  /** What the drawing is to a screen reader, and what it does. */
  svg: ComponentProps<"svg">;
}

export function PlotFrame<S extends Scale>(props: Props<S>) {
  const { left, height, scale, children, caption, svg } = props;
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const room = Math.max(120, width - left - RIGHT);
  const x = scale(room);
  return (
    <figure class="plot" ref={figure}>
      <svg width={width} height={AXIS + height} {...svg}>
        <g transform={`translate(${left} 0)`}>
          <Axis x={x} height={AXIS + height} />
          {children(x, room)}
        </g>
      </svg>
      <figcaption class="faint">{caption(x)}</figcaption>
    </figure>
  );
}

const Axis = ({ x, height }: { x: Scale; height: number }) => (
  <g aria-hidden="true">
    {x.ticks.map((tick) => (
      <g key={tick} transform={`translate(${x.at(tick)} 0)`}>
        <line class="grid" y1={AXIS} y2={height} />
        <text class="tick" y={AXIS - 9} text-anchor="middle">
          {microseconds(tick)}
        </text>
      </g>
    ))}
  </g>
);
