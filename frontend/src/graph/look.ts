/** How the numbers of a drawing look: widths of lines, scales, the box that a key leads to. */
import type { Box, Drawing } from "./parts";
import type { Placed, Rectangle } from "./layout";

export const THINNEST = 1;
export const WIDEST = 8;

// A line of this many bytes, and less, is as thin as lines get; four times as much adds one pixel.
const THIN_BYTES = 4 * 2 ** 10;

/** Pixels for bytes, on a logarithmic scale: 4 KiB 1, 1 MiB 5, 64 MiB and more 8. */
export function widthOf(bytes: number | null): number {
  const steps = Math.log2(Math.max(bytes ?? 0, THIN_BYTES) / THIN_BYTES) / 2;
  return Math.min(WIDEST, THINNEST + steps);
}

export const LEGEND_BYTES = [4 * 2 ** 10, 2 ** 20, 64 * 2 ** 20] as const;

/** What a person can still read. */
const READABLE = 0.7;
const LARGEST = 1;

export interface Room {
  width: number;
  height: number;
}

/** The scale at which all of it is in sight. */
export const fitting = ({ width, height }: Placed, room: Room): number =>
  Math.max(0.02, Math.min(LARGEST, room.width / width, room.height / height));

/** The scale to begin with: all of it, else its width, else what can still be read. */
export function firstScale(placed: Placed, room: Room): number {
  const all = fitting(placed, room);
  if (all >= READABLE) return all;
  return Math.max(READABLE, Math.min(LARGEST, room.width / placed.width));
}

/** The boxes whose texts have every word of `text`. */
export function matches({ boxes, hulls }: Drawing, text: string): Box[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const labels = new Map(hulls.map(({ id, label }) => [id, label]));
  return boxes.filter(({ label, detail, hull, value }) => {
    const own = `${label} ${detail} ${value === null ? "" : `%${value}`} ${labels.get(hull ?? "") ?? ""}`;
    return words.every((word) => own.toLowerCase().includes(word));
  });
}

export type Direction = "up" | "down" | "left" | "right";

const AXES: Record<Direction, { along: "x" | "y"; sign: 1 | -1 }> = {
  up: { along: "y", sign: -1 },
  down: { along: "y", sign: 1 },
  left: { along: "x", sign: -1 },
  right: { along: "x", sign: 1 },
};

// A step aside counts as this many steps along.
const ASIDE = 2.5;

/** The nearest box in a direction, that of `from` left out; null at the edge. */
export function neighbour(
  boxes: ReadonlyMap<string, Rectangle>,
  from: string,
  direction: Direction,
): string | null {
  const start = boxes.get(from);
  if (!start) return boxes.keys().next().value ?? null;
  const { along, sign } = AXES[direction];
  const across = along === "x" ? "y" : "x";
  let best: { id: string; far: number } | null = null;
  for (const [id, place] of boxes) {
    const ahead = sign * (middle(place, along) - middle(start, along));
    if (id === from || ahead < 1) continue;
    const far = ahead + ASIDE * Math.abs(middle(place, across) - middle(start, across));
    if (best === null || far < best.far) best = { id, far };
  }
  return best?.id ?? null;
}

const middle = (place: Rectangle, axis: "x" | "y"): number =>
  place[axis] + (axis === "x" ? place.width : place.height) / 2;
