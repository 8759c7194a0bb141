/** One row a compiler: samples as dots, the quartiles as a bar, the median as a line. */
import { inOrder, namesBeside, titleBeside } from "../lib/compilers";
import { microseconds } from "../lib/format";
import { jitter, scale, type Scale } from "../lib/plot";
import { numbers } from "../lib/table";
import { useRunView } from "../store/context";
import type { Program, Table, Timing } from "../wire";
import { AXIS, PlotFrame, RIGHT } from "./PlotFrame";
import { RowName } from "./RowName";

const ROW = 44;
/** The least that names have, and what a letter takes. */
const LABEL = 64;
const LETTER = 7;
/** The most that "+20 slower" takes. */
const SLOWER_PX = 72;

interface Row {
  compiler: string;
  /** In one line, and in two. */
  title: string;
  names: [name: string, mode: string];
  timing: Timing;
}

const rowsOf = (program: Program): Row[] =>
  inOrder(Object.keys(program.timings)).map((compiler) => ({
    compiler,
    title: titleBeside(program, compiler),
    names: namesBeside(program, compiler),
    timing: program.timings[compiler]!,
  }));

export function TimingPlot({ program }: { program: Program }) {
  const rows = rowsOf(program);
  const beside = useRunView().beside?.program.value;
  const all = beside ? [...rows, ...rowsOf(beside)] : rows;
  const values = all.flatMap(({ timing: { samples_us, median_us, p25_us, p75_us } }) => [
    ...clipped(samples_us, p75_us),
    median_us,
    p25_us,
    p75_us,
  ]);
  return (
    <PlotFrame
      left={Math.max(
        LABEL,
        12 + LETTER * Math.max(...all.flatMap(({ names }) => names.map(({ length }) => length))),
      )}
      height={rows.length * ROW}
      scale={(room) => scale(values, room)}
      caption={({ log }) =>
        `Time of one call${log ? " (logarithmic)" : ""}: samples, quartiles and median`
      }
      file="timings"
      table={() => samplesTable(rows)}
      svg={{ role: "img", "aria-label": spoken(rows) }}
    >
      {(x, room) =>
        rows.map((row, index) => (
          <g key={row.compiler} transform={`translate(0 ${AXIS + index * ROW + ROW / 2})`}>
            <Samples row={row} x={x} room={room} />
          </g>
        ))
      }
    </PlotFrame>
  );
}

interface SamplesProps {
  row: Row;
  x: Scale;
  /** Pixels from the axis to its end. */
  room: number;
}

function Samples({ row: { compiler, names, timing }, x, room }: SamplesProps) {
  const { samples_us, median_us, p25_us, p75_us } = timing;
  const shown = clipped(samples_us, p75_us);
  const left = samples_us.length - shown.length;
  return (
    <g class={compiler === "core" ? "samples own" : "samples"}>
      <RowName name={names[0]} mode={names[1]} y={4} />
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

function spoken(rows: readonly Row[]): string {
  const parts = rows.map(({ title, timing }) => `${title} ${microseconds(timing.median_us)}`);
  return `Median time of one call: ${parts.join(", ")}. The table has all numbers.`;
}

/** Every sample, a row each. */
const samplesTable = (rows: readonly Row[]): Table =>
  numbers(
    "timings",
    [["Compiler"], ["Round"], ["Time", "us"]],
    rows.flatMap(({ title, timing }) =>
      timing.samples_us.map((us, round) => [title, round + 1, us]),
    ),
  );
