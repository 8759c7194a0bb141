/** One row a compiler: samples as dots, the quartiles as a bar, the median as a line. */
import { useRef } from "preact/hooks";
import { microseconds } from "../lib/format";
import { jitter, scale, type Scale } from "../lib/plot";
import type { Timing } from "../wire";
import { useWidth } from "./useWidth";

export const ROW = 44;
const LABEL = 64;
const RIGHT = 32;
export const AXIS = 28;
/** The most that "+20 slower" takes. */
const SLOWER_PX = 72;

export function TimingPlot({ rows }: { rows: readonly [string, Timing][] }) {
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const values = rows.flatMap(([, { samples_us, median_us, p25_us, p75_us }]) => [
    ...clipped(samples_us, p75_us),
    median_us,
    p25_us,
    p75_us,
  ]);
  const room = Math.max(120, width - LABEL - RIGHT);
  const x = scale(values, room);
  const height = rows.length * ROW + AXIS;
  return (
    <figure class="plot" ref={figure}>
      <svg width={width} height={height} role="img" aria-label={spoken(rows)}>
        <g transform={`translate(${LABEL} 0)`}>
          <Axis x={x} height={height} />
          {rows.map(([name, timing], index) => (
            <g key={name} transform={`translate(0 ${AXIS + index * ROW + ROW / 2})`}>
              <Samples name={name} timing={timing} x={x} room={room} />
            </g>
          ))}
        </g>
      </svg>
      <figcaption class="faint">
        Time of one call{x.log ? " (logarithmic)" : ""}: samples, quartiles and median
      </figcaption>
    </figure>
  );
}

function Axis({ x, height }: { x: Scale; height: number }) {
  return (
    <>
      {x.ticks.map((tick) => (
        <g key={tick} transform={`translate(${x.at(tick)} 0)`}>
          <line class="grid" y1={AXIS} y2={height} />
          <text class="tick" y={AXIS - 9} text-anchor="middle">
            {microseconds(tick)}
          </text>
        </g>
      ))}
    </>
  );
}

interface SamplesProps {
  name: string;
  timing: Timing;
  x: Scale;
  /** Pixels from the axis to its end. */
  room: number;
}

function Samples({ name, timing, x, room }: SamplesProps) {
  const { samples_us, median_us, p25_us, p75_us } = timing;
  const shown = clipped(samples_us, p75_us);
  const left = samples_us.length - shown.length;
  return (
    <g class={name === "core" ? "samples own" : "samples"}>
      <text class="compiler" x={-8} y={4} text-anchor="end">
        {name}
      </text>
      <rect x={x.at(p25_us)} y={-10} width={Math.max(1, x.at(p75_us) - x.at(p25_us))} height={20} />
      {shown.map((sample, index) => (
        <circle key={index} cx={x.at(sample)} cy={jitter(index) * 8} r={1.5} />
      ))}
      <line class="median" x1={x.at(median_us)} x2={x.at(median_us)} y1={-12} y2={12} />
      {left > 0 && <Slower count={left} after={x.at(Math.max(...shown, p75_us))} room={room} />}
    </g>
  );
}

/** How many samples lie beyond the axis: after the last one that is shown, or over it where there is
 * no room. */
function Slower({ count, after, room }: { count: number; after: number; room: number }) {
  const fits = after + SLOWER_PX <= room + RIGHT;
  return (
    <text
      class="tick slower"
      x={fits ? after + 4 : room + RIGHT}
      y={fits ? 4 : -12}
      text-anchor={fits ? "start" : "end"}
    >
      +{count} slower
    </text>
  );
}

/** Samples that do not stretch the axis beyond use; the rest are counted beside it. */
function clipped(samples: readonly number[], p75: number): number[] {
  return samples.filter((sample) => sample <= 3 * p75);
}

function spoken(rows: readonly [string, Timing][]): string {
  const parts = rows.map(([name, { median_us }]) => `${name} ${microseconds(median_us)}`);
  return `Median time of one call: ${parts.join(", ")}. The table has all numbers.`;
}
