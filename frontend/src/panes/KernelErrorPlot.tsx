/** The error that each kernel brings, and eager's at the same place, on one logarithmic scale. */
import { scientific } from "../lib/format";
import { hueOfKernel } from "../lib/linemap";
import { logarithmic, type Scale } from "../lib/plot";
import { cancelled, relative, severity, errorText, ulps } from "../lib/precision";
import { numbers } from "../lib/table";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { ErrorSize, KernelError, Table } from "../wire";
import { AXIS, PlotFrame } from "./PlotFrame";

const ROW = 22;
/** Pixels between a name and the axis: what is exact stands there. */
const GAP = 24;
/** Pixels of a character of a name, of the widest on average, and of the room beside the whole. */
const CHARACTER = 7.5;
const MARGIN = 8;
/** As much of the plot's width names may take, and what they have in any case. */
const SHARE = 0.4;
const LEAST = 96;
/** What is exact stands left of the axis's first decade. */
const EXACT = -14;

export function KernelErrorPlot({ errors }: { errors: readonly KernelError[] }) {
  const beside = useRunView().beside;
  const others = beside?.program.value?.kernel_errors.filter(beside.isShown.value) ?? [];
  if (above(errors).length === 0) return null;
  const known = above([...errors, ...others]);
  return (
    <PlotFrame
      left={(width) => labelsOf(errors, width)}
      height={errors.length * ROW}
      scale={(room) => logarithmic(Math.min(...known), Math.max(...known), room)}
      format={scientific}
      caption={() =>
        "Relative error that a kernel brings: full dots the core, rings eager; what is exact stands left of the axis"
      }
      file="error-by-kernel"
      table={() => errorsTable(errors)}
      svg={{ role: "group", "aria-label": "Relative error by kernel. The table has all numbers." }}
    >
      {(x, _, left) =>
        errors.map((error, index) => (
          <g
            key={`${error.graph} ${error.buffer}`}
            transform={`translate(0 ${AXIS + index * ROW + ROW / 2})`}
          >
            <Row error={error} x={x} fits={Math.floor((left - GAP - MARGIN) / CHARACTER)} />
          </g>
        ))
      }
    </PlotFrame>
  );
}

/** What is above zero of the errors that have a place on the scale. */
const above = (errors: readonly KernelError[]): number[] =>
  errors
    .flatMap(({ own, eager_own }) => [own, eager_own])
    .map(finite)
    .filter((size) => size !== null && size > 0) as number[];

/** Pixels for the longest name, of a plot that is so wide. */
const labelsOf = (errors: readonly KernelError[], width: number): number => {
  const longest = Math.max(...errors.map(({ kernel }) => kernel.length));
  const wanted = GAP + MARGIN + Math.ceil(longest * CHARACTER);
  return Math.max(LEAST, Math.min(wanted, width * SHARE));
};

/** `fits`: characters of a name that there is room for. */
function Row({ error, x, fits }: { error: KernelError; x: Scale; fits: number }) {
  const view = useRunView();
  const kernels = view.kernelsOf(error.backend);
  const kernel = kernels.find(({ id, graph }) => id === error.kernel && graph === error.graph);
  const hue = hueOfKernel(kernels, error.kernel, new Set([error.graph])) ?? 0;
  const [own, eager] = [finite(error.own), finite(error.eager_own)];
  const at = (value: number) => (value === 0 ? EXACT : x.at(value));
  return (
    <g
      class={`error-row hue-${hue}`}
      onClick={() => select(view, new Set(kernel?.nodes), "numerics")}
    >
      <title>{`${error.kernel} brings ${errorText(error.own)}`}</title>
      <text class="compiler" x={-GAP} y={4} text-anchor="end">
        {begunOf(error.kernel, fits)}
      </text>
      {own !== null && eager !== null && (
        <line class="grid" x1={at(own)} x2={at(eager)} aria-hidden="true" />
      )}
      {eager !== null && <circle class="eager" cx={at(eager)} r={4} />}
      {own !== null && <circle class="own" cx={at(own)} r={4} />}
    </g>
  );
}

/** As much of a name as its place has room for, in whole words; all of it where it is pointed at. */
function begunOf(name: string, fits: number): string {
  if (name.length <= fits) return name;
  const [first, ...rest] = name.split("_");
  let begun = first!;
  for (const word of rest) {
    if (`${begun}_${word}`.length > fits) break;
    begun += `_${word}`;
  }
  return `${begun}…`;
}

/** What it is ordered by; null of what is no number, or is not there. */
function finite(size: ErrorSize | null): number | null {
  if (size === null) return null;
  const error = severity(size);
  return Number.isFinite(error) ? error : null;
}

const errorsTable = (errors: readonly KernelError[]): Table =>
  numbers(
    "error by kernel",
    [["Kernel"], ["Value"], ["Brings"], ["In ulps"], ["Eager brings"], ["There in all"], ["Note"]],
    errors.map(({ kernel, buffer, own, eager_own, accumulated }) => [
      kernel,
      buffer,
      own.max_rel ?? relative(own),
      ulps(own),
      eager_own?.max_rel ?? relative(eager_own),
      accumulated?.max_rel ?? relative(accumulated),
      cancelled(own),
    ]),
  );
