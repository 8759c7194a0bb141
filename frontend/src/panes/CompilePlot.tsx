/** Compile time as one bar a compiler, a piece a phase. */
import { compilingOf, compilingTable, phaseNames, type Compiling } from "../lib/compiling";
import { namesBeside, titleOf } from "../lib/compilers";
import { milliseconds } from "../lib/format";
import { scale, type Scale } from "../lib/plot";
import { useRunView } from "../store/context";
import type { Program } from "../wire";
import { AXIS, PlotFrame } from "./PlotFrame";
import { RowName } from "./RowName";

const ROW = 32;
const LABEL = 96;
const HUES = 8;
/** A letter's width: a piece has its name where that fits. */
const LETTER = 7;

export function CompilePlot({ program }: { program: Program }) {
  const view = useRunView();
  const label = view.called("Compile time");
  const rows = compilingOf(program);
  const beside = view.beside?.program.value;
  const all = beside ? [...rows, ...compilingOf(beside)] : rows;
  if (rows.length === 0) return null;
  const names = phaseNames(rows);
  return (
    <section aria-label={label}>
      <h2 class="subhead">Compile time</h2>
      <PlotFrame
        left={LABEL}
        height={rows.length * ROW}
        scale={(room) => scale([0, ...all.map(({ total }) => total)], room)}
        format={milliseconds}
        caption={() => <Key names={names} />}
        file="compile-time"
        table={() => compilingTable(rows)}
        svg={{ role: "img", "aria-label": spoken(rows) }}
      >
        {(x) =>
          rows.map((row, index) => (
            <g key={row.compiler} transform={`translate(0 ${AXIS + index * ROW + ROW / 2})`}>
              <Named compiler={row.compiler} program={program} />
              <Pieces row={row} x={x} names={names} />
            </g>
          ))
        }
      </PlotFrame>
    </section>
  );
}

function Named({ compiler, program }: { compiler: string; program: Program }) {
  const [name, mode] = namesBeside(program, compiler);
  return <RowName name={name} mode={mode} y={4} />;
}

function Pieces({ row, x, names }: { row: Compiling; x: Scale; names: readonly string[] }) {
  let from = 0;
  return (
    <>
      {row.phases.map(({ name, ms }) => {
        const at = x.at(from);
        from += ms;
        const width = Math.max(1, x.at(from) - at - 1);
        return (
          <g key={name} class={`piece hue-${names.indexOf(name) % HUES}`}>
            <title>{`${name}: ${milliseconds(ms)}`}</title>
            <rect x={at} y={-9} width={width} height={18} rx={2} />
            {width > LETTER * name.length + 8 && (
              <text x={at + 4} y={4}>
                {name}
              </text>
            )}
          </g>
        );
      })}
      <text class="tick" x={x.at(from) + 4} y={4}>
        {milliseconds(row.total)}
      </text>
    </>
  );
}

const Key = ({ names }: { names: readonly string[] }) => (
  <>
    {names.map((name, index) => (
      <span key={name} class="plot-key">
        <span class={`swatch hue-${index % HUES}`} />
        {name}
      </span>
    ))}
  </>
);

const spoken = (rows: readonly Compiling[]): string =>
  rows
    .map(({ compiler, phases, total }) => {
      const parts = phases.map(({ name, ms }) => `${name} ${milliseconds(ms)}`);
      return `${titleOf(compiler)} ${milliseconds(total)}: ${parts.join(", ")}.`;
    })
    .join(" ");
