/** Where kernels stand under the machine's roof: operations a byte against operations a second. */
import type { Kernel, Measurement, Program, Table } from "../wire";
import { ownModelOf, runOf } from "./launchtimes";
import { isOfPlan } from "./plans";
import { numbers } from "./table";

/** The most that the machine does: bytes and operations a second. */
export interface Roof {
  bandwidth: number;
  flops: number;
}

/** By what a kernel's time is known. */
export type Source = "measured" | "model" | "estimate";

export interface Dot {
  kernel: Kernel;
  us: number;
  source: Source;
  /** Operations a byte, and a second. */
  intensity: number;
  rate: number;
}

/** The roof of the machine that measured; null where nobody has measured it. */
export const roofOf = (measurement: Measurement | null): Roof | null => {
  const { bandwidth = 0, flops = 0 } = measurement ?? {};
  return bandwidth > 0 && flops > 0 ? { bandwidth, flops } : null;
};

/** The kernels of one plan that compute something and whose time is known. */
export function dotsOf(program: Program, backend: string): Dot[] {
  return program.kernels
    .filter((kernel) => isOfPlan(kernel, backend))
    .flatMap((kernel) => {
      const bytes = kernel.bytes_read + kernel.bytes_written;
      const time = timeOf(kernel, program);
      if (time === null || bytes === 0 || kernel.flops === 0) return [];
      return [
        { kernel, ...time, intensity: kernel.flops / bytes, rate: (kernel.flops / time.us) * 1e6 },
      ];
    });
}

/** What the roof lets a kernel of so many operations a byte reach. */
export const reachable = ({ bandwidth, flops }: Roof, intensity: number): number =>
  Math.min(flops, bandwidth * intensity);

/** Measured where a call was profiled; else by the model that chose the schedule; else a bound. */
function timeOf(kernel: Kernel, program: Program): { us: number; source: Source } | null {
  const found: [number | null, Source][] = [
    [kernel.backend === program.backend ? runOf(program, kernel) : null, "measured"],
    [ownModelOf(kernel), "model"],
    [bound(kernel, program), "estimate"],
  ];
  const [us = null, source = "model"] = found.find(([time]) => time !== null && time > 0) ?? [];
  return us === null ? null : { us, source };
}

function bound({ id, graph, backend }: Kernel, { resources }: Program): number | null {
  const own = resources.find((r) => r.kernel === id && r.graph === graph && isOfPlan(r, backend));
  return own?.estimate_us ?? null;
}

export const rooflineTable = (dots: readonly Dot[]): Table =>
  numbers(
    "roofline",
    [["Kernel"], ["Operations", "flops"], ["Bytes", "bytes"], ["Time", "us"], ["Known by"]],
    dots.map(({ kernel: { id, flops, bytes_read, bytes_written }, us, source }) => [
      id,
      flops,
      bytes_read + bytes_written,
      us,
      source,
    ]),
  );
