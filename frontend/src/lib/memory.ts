/** A memory plan as a picture: steps to the right, addresses downwards. */
import type { Buffer, Table } from "../wire";
import { numbers } from "./table";

/** What is said where a plan places nothing. */
export const NOTHING_KEPT = "Inputs and results only: nothing has to be kept in between.";

/** A buffer that the plan places. */
export type Placed = Buffer & { offset: number };

export const placedOf = (buffers: readonly Buffer[]): Placed[] =>
  buffers.filter((buffer): buffer is Placed => buffer.offset !== null && buffer.bytes > 0);

/** Bytes from the first address to behind the last. */
export const extentOf = (placed: readonly Placed[]): number =>
  Math.max(0, ...placed.map(({ offset, bytes }) => offset + bytes));

export const totalOf = (sized: readonly { bytes: number }[]): number =>
  sized.reduce((sum, { bytes }) => sum + bytes, 0);

/** How many steps a plan has, as far as its buffers tell. */
export const stepsOf = (buffers: readonly Buffer[]): number =>
  Math.max(0, ...buffers.map(({ last }) => last + 1));

/** The most bytes that are alive at one step, and the first such step. */
export function busiest(placed: readonly Placed[]): { step: number; bytes: number } {
  const change = new Map<number, number>();
  const add = (step: number, bytes: number) => change.set(step, (change.get(step) ?? 0) + bytes);
  for (const { first, last, bytes } of placed) {
    add(first, bytes);
    add(last + 1, -bytes);
  }
  let [now, most] = [0, { step: 0, bytes: 0 }];
  for (const step of [...change.keys()].sort((a, b) => a - b)) {
    now += change.get(step)!;
    if (now > most.bytes) most = { step, bytes: now };
  }
  return most;
}

const SIZES = Array.from({ length: 51 }, (_, power) => 2 ** power);

/** Up to about four addresses to mark: 0 and multiples of a power of two. */
export function addressTicks(extent: number): number[] {
  const step = SIZES.find((size) => extent / size <= 4.5) ?? extent;
  return Array.from({ length: Math.floor(extent / step) + 1 }, (_, i) => i * step);
}

export const memoryTable = (placed: readonly Placed[]): Table =>
  numbers(
    "memory",
    [["Buffer"], ["Type"], ["Size", "bytes"], ["Offset", "bytes"], ["First step"], ["Last step"]],
    placed.map(({ name, type, bytes, offset, first, last }) => [
      name,
      type,
      bytes,
      offset,
      first,
      last,
    ]),
  );
