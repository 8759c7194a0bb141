/**
 * The modules or functions of a model in a drawing: which of them a hull belongs to, and a frame around
 * the hulls of each. A model's blocks are the parts that a person knows it by, its layers are too many.
 */
import { groupBy } from "../lib/group";
import type { CapturedOp, Program } from "../wire";
import type { Drawing, Hull } from "./parts";

/** By captured operation the modules that it is called in, below those that most are in. What is called
 * in none, where others are, is the program's own. */
export type Paths = ReadonlyMap<number, readonly string[]>;

/** By hull the block that most of its operations are called in, "blocks/3"; blank where none is known. */
export type Homes = ReadonlyMap<string, string>;

const IS_NUMBER = /^\d+$/;

type Captured = Pick<Program, "nodes" | "name">;

export function pathsOf({ nodes, name }: Captured): Paths {
  const split = splitOf(nodes);
  const shared = sharedBy(split);
  const below = (path: readonly string[]) =>
    beginsWith(path, shared) ? path.slice(shared.length) : path;
  const isTold = split.some(isIn);
  return new Map(
    nodes.map(({ id }, at) => [id, isTold && !isIn(split[at]!) ? [name] : below(split[at]!)]),
  );
}

/** What is called in no module below those that most are in, is called in this one. */
export const innermostOf = ({ nodes, name }: Captured): string =>
  sharedBy(splitOf(nodes)).at(-1) ?? name;

const isIn = (path: readonly string[]): boolean => path.length > 0;

const splitOf = (nodes: readonly CapturedOp[]): string[][] =>
  scopesOf(nodes).map((scope) => scope.split("/").filter(Boolean));

/** Where autograd adds gradients up it says the place of what they are of, and no module: they are
 * added to what was computed last. */
function scopesOf(nodes: readonly CapturedOp[]): string[] {
  const places = new Set(nodes.filter(({ scope }) => scope !== "").map(placeOf));
  const found: string[] = [];
  for (const node of nodes) {
    const isSum = node.scope === "" && node.op === SUM && places.has(placeOf(node));
    found.push(isSum ? (found.at(-1) ?? "") : node.scope);
  }
  return found;
}

const SUM = "aten.add.Tensor";

const placeOf = ({ line, column }: CapturedOp): string => `${line}:${column}`;

const beginsWith = (path: readonly string[], names: readonly string[]): boolean =>
  names.every((name, at) => path[at] === name);

/** The names that most paths begin with, without one that numbers follow. */
function sharedBy(all: readonly (readonly string[])[]): readonly string[] {
  const found: string[] = [];
  const paths = all.filter(isIn);
  for (;;) {
    const nexts = paths.filter((path) => beginsWith(path, found)).map((path) => path[found.length]);
    const next = mostOf(nexts.filter((name) => name !== undefined));
    if (IS_NUMBER.test(next)) return found.slice(0, -1);
    if (next === "" || nexts.filter((name) => name === next).length <= paths.length / 2)
      return found;
    found.push(next);
  }
}

/** Whether modules tell the operations apart: most of them are not in one. */
export function hasModules(paths: Paths): boolean {
  const all = [...paths.values()].map((path) => path.join("/"));
  const most = mostOf(all);
  return all.filter((path) => path === most).length <= all.length / 2;
}

/** "blocks/3" of blocks/3/attention: down to the first that is one of several, else the first. */
function blockOf(path: readonly string[]): string {
  const number = path.findIndex((name) => IS_NUMBER.test(name));
  return path.slice(0, number < 0 ? 1 : number + 1).join("/");
}

export function homesOf(hulls: readonly Hull[], paths: Paths): Homes {
  return new Map(
    hulls.map(({ id, nodes }) => [id, mostOf(nodes.map((node) => blockOf(paths.get(node) ?? [])))]),
  );
}

/** The word that comes most often, of equally frequent ones the first. */
export function mostOf(words: readonly string[]): string {
  const groups = [...groupBy(words, (word) => word).values()];
  const [most] = groups.sort((a, b) => b.length - a.length);
  return most?.[0] ?? "";
}

/** "blocks/0…11" of blocks/0 and blocks/11. */
export function between(first: string, last: string): string {
  if (first === last || first === "" || last === "") return first || last;
  const [from, to] = [first.split("/"), last.split("/")];
  const isOneOf =
    from.length === to.length && from.slice(0, -1).every((name, at) => name === to[at]);
  return `${first}…${isOneOf ? to.at(-1) : last}`;
}

/** With a frame around neighbours of one block, where they are in none yet. */
export function framed(drawing: Drawing, homes: Homes): Drawing {
  const rows = neighbours(drawing.hulls, homes);
  const frames = new Map(
    rows
      .filter(({ home, hulls }) => home !== "" && hulls.length > 1)
      .map(({ home, hulls }, at) => [hulls[0]!.id, { frame: frameOf(home, at, hulls), hulls }]),
  );
  if (frames.size === 0) return drawing;
  const inside = new Map(
    [...frames.values()].flatMap(({ frame, hulls }) => hulls.map(({ id }) => [id, frame.id])),
  );
  const hulls = drawing.hulls.flatMap((hull): Hull[] => {
    const frame = frames.get(hull.id)?.frame;
    const parent = inside.get(hull.id);
    return [...(frame ? [frame] : []), parent === undefined ? hull : { ...hull, parent }];
  });
  return { ...drawing, hulls };
}

interface Row {
  home: string;
  hulls: Hull[];
}

/** Hulls that follow one another in one block; those that are in a frame are between rows. */
function neighbours(hulls: readonly Hull[], homes: Homes): Row[] {
  const rows: Row[] = [];
  for (const hull of hulls) {
    const isLoose = hull.parent === null && !hull.isFrame;
    const home = isLoose ? (homes.get(hull.id) ?? "") : "";
    const last = rows.at(-1);
    if (last && home !== "" && last.home === home) last.hulls.push(hull);
    else rows.push({ home, hulls: [hull] });
  }
  return rows;
}

const frameOf = (home: string, at: number, hulls: readonly Hull[]): Hull => ({
  id: `module/${at}`,
  label: home,
  title: `${home}: what is called in this module`,
  name: home,
  hue: null,
  nodes: [...new Set(hulls.flatMap(({ nodes }) => nodes))],
  parent: null,
  isFrame: true,
  times: 1,
});
