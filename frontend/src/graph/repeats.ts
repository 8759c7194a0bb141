/**
 * Equal blocks once: where a plan launches the same kernels again and again, as it does for the layers
 * of a model, the drawing has the first of them, in a frame that says how often.
 */
import { bytes } from "../lib/format";
import { groupBy } from "../lib/group";
import { runsOf, type Run } from "../lib/runs";
import { between, mostOf, type Homes } from "./modules";
import type { Box, Drawing, Hull, Line } from "./parts";

/** Where something of a repetition stands: in which run, in which of its blocks. */
interface Seat {
  run: number;
  block: number;
  /** The hull of the first block that it is like. */
  like: string;
}

const NO_HOMES: Homes = new Map();

/** `homes` are the blocks of the model that the hulls belong to, by which a frame is called. */
export function equalOnce(drawing: Drawing, homes: Homes = NO_HOMES): Drawing {
  const inside = groupBy(drawing.boxes, ({ hull }) => hull);
  const { hulls } = drawing;
  const runs = runsOf(hulls.map((hull) => wordOf(hull, inside.get(hull.id) ?? [])));
  if (runs.length === 0) return drawing;
  const seats = seatsOf(hulls, runs);
  const likes = likesOf(drawing, seats);
  const kept = drawing.boxes.filter(({ id }) => (likes.get(id) ?? id) === id);
  const nodes = groupBy(drawing.boxes, ({ id }) => likes.get(id) ?? id);
  const boxes = kept.map((box) => ({ ...box, nodes: union(nodes.get(box.id) ?? [box]) }));
  return {
    boxes,
    lines: linesOnce(drawing, seats, likes),
    hulls: inOrder(hulls, runs, first(hulls, seats), homes),
  };
}

/** Hulls that say the same word hold the same operations, of equal shapes. What they move may differ:
 * the last block of a model keeps nothing for one after it. */
const wordOf = ({ label, moved }: Hull, inside: readonly Box[]): string =>
  [...saidOf(label, moved), ...inside.map(looks).sort()].join("|");

/** A label without its number, what it moves and how long it takes. */
const saidOf = (label: string, moved?: number | null): string[] =>
  label
    .replace(/·[^·]*s$/, "")
    .split("·")
    .slice(1)
    .map((part) => part.trim())
    .filter((part) => moved == null || part !== bytes(moved));

const looks = ({ label, detail }: Box): string => `${label} ${detail}`;

function seatsOf(hulls: readonly Hull[], runs: readonly Run[]): Map<string, Seat> {
  return new Map(
    runs.flatMap(({ first: start, length, times }, run) =>
      hulls.slice(start, start + length * times).map((hull, at): [string, Seat] => {
        const like = hulls[start + (at % length)]!.id;
        return [hull.id, { run, block: Math.floor(at / length), like }];
      }),
    ),
  );
}

/** For each box of a block the one of the first that it is like, wherever that stands among them. */
function likesOf({ boxes }: Drawing, seats: ReadonlyMap<string, Seat>): Map<string, string> {
  const seen = new Map<string, number>();
  const placed = boxes.flatMap((box) => {
    const seat = box.hull === null ? undefined : seats.get(box.hull);
    if (!seat) return [];
    const own = `${box.hull}|${looks(box)}`;
    const count = seen.get(own) ?? 0;
    seen.set(own, count + 1);
    return [{ id: box.id, block: seat.block, place: `${seat.like}|${looks(box)}|${count}` }];
  });
  const firsts = placed.filter(({ block }) => block === 0);
  const byPlace = new Map(firsts.map(({ place, id }) => [place, id]));
  return new Map(placed.map(({ id, place }) => [id, byPlace.get(place) ?? id]));
}

/** The lines of the first block, and those that enter or leave a repetition; what a block reads of the
 * one before is what its frame says. */
function linesOnce(
  { boxes, lines }: Drawing,
  seats: ReadonlyMap<string, Seat>,
  likes: ReadonlyMap<string, string>,
): Line[] {
  const hullOf = new Map(boxes.map(({ id, hull }) => [id, hull]));
  const seatOf = (box: string) => seats.get(hullOf.get(box) ?? "");
  const found = new Map<string, Line>();
  for (const line of lines) {
    const [from, to] = [seatOf(line.from), seatOf(line.to)];
    const isWithin = from && to && from.run === to.run;
    if (isWithin && (from.block > 0 || to.block > 0)) continue;
    const ends = {
      from: likes.get(line.from) ?? line.from,
      to: likes.get(line.to) ?? line.to,
    };
    const id = `${ends.from}${line.isApart ? "⇢" : "→"}${ends.to}`;
    if (!found.has(id)) found.set(id, { ...line, ...ends, id });
  }
  return [...found.values()];
}

/** Each frame before what is in it. */
function inOrder(
  all: readonly Hull[],
  runs: readonly Run[],
  kept: readonly Hull[],
  homes: Homes,
): Hull[] {
  const frames = new Map(
    runs.map((run, at) => [all[run.first]!.id, frameOf(run, at, all, homes)] as const),
  );
  return kept.flatMap((hull) => [frames.get(hull.id) ?? [], hull].flat());
}

function frameOf(
  { first: start, length, times }: Run,
  run: number,
  hulls: readonly Hull[],
  homes: Homes,
): Hull {
  const all = hulls.slice(start, start + length * times);
  const blocks = Array.from({ length: times }, (_, at) =>
    all.slice(at * length, (at + 1) * length),
  );
  const homeOf = (block: readonly Hull[]) => mostOf(block.map(({ id }) => homes.get(id) ?? ""));
  const where = between(homeOf(blocks[0]!), homeOf(blocks.at(-1)!));
  const other = othersOf(blocks, homeOf);
  return {
    id: frameId(run),
    label: [[where, `× ${times}`].filter(Boolean).join(" "), other].filter(Boolean).join(" · "),
    title: [`${times} equal blocks, of which this is the first`, other, READS]
      .filter(Boolean)
      .join("; "),
    name: where,
    hue: null,
    nodes: union(all),
    parent: null,
    isFrame: true,
    times,
  };
}

const READS = "each reads what the one before it made";

/** "blocks/11 moves 128 KiB less": the blocks that do not move what the first does; blank of none. */
function othersOf(
  blocks: readonly (readonly Hull[])[],
  nameOf: (block: readonly Hull[]) => string,
): string {
  const movedBy = (block: readonly Hull[]) =>
    block.reduce((sum, { moved }) => sum + (moved ?? 0), 0);
  const usual = movedBy(blocks[0]!);
  const others = blocks
    .map((block, at) => ({
      name: nameOf(block) || `block ${at + 1}`,
      more: movedBy(block) - usual,
    }))
    .filter(({ more }) => more !== 0);
  const [only] = others;
  if (!only) return "";
  if (others.length > 1) return `${others.length} of them move more or less than the first`;
  return `${only.name} moves ${bytes(Math.abs(only.more))} ${only.more > 0 ? "more" : "less"}`;
}

const frameId = (run: number): string => `frame/${run}`;

/** The hulls of the first block, in its frame, and those of no block. */
const first = (hulls: readonly Hull[], seats: ReadonlyMap<string, Seat>): Hull[] => {
  const alike = groupBy(hulls, ({ id }) => seats.get(id)?.like ?? id);
  return hulls.flatMap((hull) => {
    const seat = seats.get(hull.id);
    if (!seat) return [hull];
    if (seat.like !== hull.id) return [];
    return [{ ...hull, parent: frameId(seat.run), nodes: union(alike.get(hull.id) ?? [hull]) }];
  });
};

const union = (all: readonly { nodes: readonly number[] }[]): number[] => [
  ...new Set(all.flatMap(({ nodes }) => nodes)),
];
