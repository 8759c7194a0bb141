/** A dot a kernel under the roof of the machine: how many operations it does for each byte that it
 * moves, and how many a second. */
import { count, microseconds, percent } from "../lib/format";
import { logarithmic, type Scale } from "../lib/plot";
import { dotsOf, reachable, rooflineTable, roofOf, type Dot, type Roof } from "../lib/roofline";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Program } from "../wire";
import { AXIS, FOOT, PlotFrame } from "./PlotFrame";

const LABEL = 72;
const HEIGHT = 180;
const ORIGIN = "kernels";

export function RooflinePlot({ program, backend }: { program: Program; backend: string }) {
  const view = useRunView();
  const label = view.called("Roofline");
  const drawn = drawnOf(program, backend);
  const { dots, roof } = drawn;
  if (dots.length === 0) return null;
  const other = view.beside?.program.value;
  const beside = other ? drawnOf(other, view.beside!.onePlan.value) : NOTHING;
  const [across, rates] = [spread(drawn, beside, acrossOf), spread(drawn, beside, ratesOf)];
  return (
    <section aria-label={label}>
      <h2 class="subhead">Roofline</h2>
      <PlotFrame
        left={LABEL}
        height={HEIGHT + FOOT}
        scale={(room) => logarithmic(across.least / 2, across.most * 2, room)}
        format={(value) => `${count(value)}/B`}
        caption={() => <Caption dots={dots} roof={roof} />}
        file="roofline"
        table={() => rooflineTable(dots)}
        svg={{ role: "group", "aria-label": spoken(dots, roof) }}
      >
        {(x, room) => <Inside {...drawn} rates={rates} x={x} room={room} />}
      </PlotFrame>
    </section>
  );
}

interface Drawn {
  dots: readonly Dot[];
  roof: Roof | null;
}

const NOTHING: Drawn = { dots: [], roof: null };

const drawnOf = (program: Program, backend: string): Drawn => ({
  dots: dotsOf(program, backend),
  roof: backend === program.backend ? roofOf(program.measurement) : null,
});

const acrossOf = ({ dots, roof }: Drawn): number[] => [
  ...dots.map(({ intensity }) => intensity),
  ...(roof ? [roof.flops / roof.bandwidth] : []),
];

const ratesOf = ({ dots, roof }: Drawn): number[] => [
  ...dots.map(({ rate }) => rate),
  ...(roof ? [roof.flops] : []),
];

interface Range {
  least: number;
  most: number;
}

/** Of two runs beside each other, whose plots are read by one measure. */
function spread(drawn: Drawn, beside: Drawn, of: (one: Drawn) => number[]): Range {
  const values = [...of(drawn), ...of(beside)];
  return { least: Math.min(...values), most: Math.max(...values) };
}

interface InsideProps extends Drawn {
  rates: Range;
  x: Scale;
  room: number;
}

function Inside({ dots, roof, rates, x, room }: InsideProps) {
  const up = logarithmic(rates.least / 2, rates.most * 1.5, HEIGHT);
  const y = (rate: number) => AXIS + HEIGHT - up.at(rate);
  return (
    <>
      {up.ticks.map((rate) => (
        <g key={rate} aria-hidden="true" transform={`translate(0 ${y(rate)})`}>
          <line class="grid" x2={room} />
          <text class="tick" x={-8} y={4} text-anchor="end">
            {`${count(rate)}/s`}
          </text>
        </g>
      ))}
      {roof && <Roofs roof={roof} x={x} y={y} bottom={up.ticks[0] ?? 1} />}
      {dots.map((dot) => (
        <Kernel key={`${dot.kernel.graph} ${dot.kernel.id}`} dot={dot} roof={roof} x={x} y={y} />
      ))}
    </>
  );
}

interface RoofProps {
  roof: Roof;
  x: Scale;
  y: (rate: number) => number;
  /** The least rate that is drawn. */
  bottom: number;
}

function Roofs({ roof, x, y, bottom }: RoofProps) {
  const ridge = roof.flops / roof.bandwidth;
  const first = Math.max(x.ticks[0]!, bottom / roof.bandwidth);
  const last = Math.max(x.ticks.at(-1)!, ridge);
  const points = [first, ridge, last].map(
    (intensity) => `${x.at(intensity)},${y(reachable(roof, intensity))}`,
  );
  return <polyline class="roof" points={points.join(" ")} aria-hidden="true" />;
}

interface KernelProps {
  dot: Dot;
  roof: Roof | null;
  x: Scale;
  y: (rate: number) => number;
}

function Kernel({ dot, roof, x, y }: KernelProps) {
  const view = useRunView();
  const { kernel, intensity, rate, source } = dot;
  const hue = kernel.nodes.flatMap((node) => view.huesOf(kernel.backend).get(node) ?? [])[0] ?? 0;
  const lit = kernel.nodes.some((node) => view.selection.value.nodes.has(node));
  return (
    <g
      class={`dot hue-${hue} ${source} ${lit ? "lit" : ""}`}
      transform={`translate(${x.at(intensity)} ${y(rate)})`}
      role="button"
      tabindex={0}
      aria-label={dotText(dot, roof)}
      onClick={() => select(view, new Set(kernel.nodes), ORIGIN)}
      onKeyDown={(event) => {
        if (event.key === "Enter") select(view, new Set(kernel.nodes), ORIGIN);
      }}
    >
      <title>{dotText(dot, roof)}</title>
      <circle r={lit ? 7 : 5} />
    </g>
  );
}

function Caption({ dots, roof }: { dots: readonly Dot[]; roof: Roof | null }) {
  const how = {
    measured: "full dots: times of a profiled call",
    model: "rings: the cost model's times",
    estimate: "rings: a lower bound",
  };
  const sources = [...new Set(dots.map(({ source }) => how[source]))];
  const above = roof
    ? `The line: ${count(roof.bandwidth)}B/s and ${count(roof.flops)}flop/s, as measured here`
    : "No roof: nothing was measured on this machine";
  return <>{`Operations a second by operations a byte. ${above}; ${sources.join(", ")}`}</>;
}

function dotText({ kernel, us, source, intensity, rate }: Dot, roof: Roof | null): string {
  const share = roof ? `, ${percent(rate / reachable(roof, intensity))} of the roof` : "";
  return `${kernel.id}: ${count(rate)}flop/s at ${count(intensity)}flop/B${share}, ${microseconds(us)} (${source})`;
}

const spoken = (dots: readonly Dot[], roof: Roof | null): string =>
  `${dots.length} kernels by operations a byte and a second${roof ? ", under the machine's roof" : ""}`;
