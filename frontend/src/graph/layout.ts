/** A drawing as the layout library takes it, and what it gives back as places on a plane. */
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";
import { groupBy } from "../lib/group";
import type { Box, Drawing, Hull } from "./parts";

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Placed {
  width: number;
  height: number;
  boxes: ReadonlyMap<string, Rectangle>;
  hulls: ReadonlyMap<string, Rectangle>;
  lines: ReadonlyMap<string, readonly Point[]>;
}

// Widths of a sign in the two faces, in pixels; both are as wide in every browser.
const LABEL_SIGN = 7.25;
const DETAIL_SIGN = 6.65;
const HULL_SIGN = 6.9;
const SIDE = 20;

export const HULL_HEAD = 24;

export const sizeOf = ({ label, detail, kind }: Box): Pick<Rectangle, "width" | "height"> => ({
  width: Math.max(
    64,
    Math.ceil(Math.max(label.length * LABEL_SIGN, detail.length * DETAIL_SIGN)) + SIDE,
  ),
  height: kind === "operation" || kind === "hull" ? 40 : 38,
});

const OPTIONS: Record<string, string> = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.considerModelOrder.strategy": "PREFER_NODES",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.layered.spacing.nodeNodeBetweenLayers": "26",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.spacing.nodeNode": "18",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "8",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
  "elk.padding": "[top=16,left=16,bottom=16,right=16]",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
};

const BESIDE = 14;

/** Room for the hull's label above and, where its boxes are narrower than that, beside them. */
function insetOf(hull: Hull, inside: readonly Box[]): string {
  const label = hull.label.length * HULL_SIGN + 44;
  const widest = Math.max(0, ...inside.map((box) => sizeOf(box).width));
  const side = Math.max(BESIDE, Math.ceil((label - widest) / 2));
  return `[top=${HULL_HEAD + 10},left=${side},bottom=${BESIDE},right=${side}]`;
}

/** The drawing as a tree: boxes in their hulls, these in their frames, all in the whole. */
export function toElk({ boxes, lines, hulls }: Drawing): ElkNode {
  const boxesIn = groupBy(boxes, ({ hull }) => hull);
  const hullsIn = groupBy(hulls, ({ parent }) => parent);
  const leaf = (box: Box): ElkNode => ({ id: box.id, ...sizeOf(box) });
  const within = (id: string | null): ElkNode[] => [
    ...(hullsIn.get(id) ?? []).map((hull): ElkNode => ({
      id: hull.id,
      children: within(hull.id),
      layoutOptions: { "elk.padding": insetOf(hull, boxesIn.get(hull.id) ?? []) },
    })),
    ...(boxesIn.get(id) ?? []).map(leaf),
  ];
  return {
    id: "graph",
    layoutOptions: OPTIONS,
    children: within(null),
    edges: lines.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
}

export function fromElk(root: ElkNode): Placed {
  const [boxes, hulls] = [new Map<string, Rectangle>(), new Map<string, Rectangle>()];
  const walk = (node: ElkNode) => {
    (node.children ? hulls : boxes).set(node.id, rectangleOf(node));
    node.children?.forEach(walk);
  };
  root.children?.forEach(walk);
  const lines = new Map(
    (root.edges ?? []).map(({ id, sections = [] }: ElkExtendedEdge) => [
      id,
      sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
        startPoint,
        ...bendPoints,
        endPoint,
      ]),
    ]),
  );
  return { width: root.width ?? 0, height: root.height ?? 0, boxes, hulls, lines };
}

const rectangleOf = ({ x = 0, y = 0, width = 0, height = 0 }: ElkNode): Rectangle => ({
  x,
  y,
  width,
  height,
});

const ROUND = 6;

/** Points as an SVG path with round corners. */
export function pathOf(points: readonly Point[]): string {
  const [start, ...rest] = points;
  if (!start) return "";
  const parts = [`M${at(start)}`];
  rest.forEach((point, index) => {
    const [before, after] = [points[index]!, rest[index + 1]];
    if (!after) return parts.push(`L${at(point)}`);
    const [into, out] = [towards(point, before), towards(point, after)];
    return parts.push(`L${at(into)}Q${at(point)} ${at(out)}`);
  });
  return parts.join("");
}

/** The point near `from` on the way to `to`. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(ROUND, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

const at = ({ x, y }: Point): string => `${round(x)} ${round(y)}`;

const round = (value: number): number => Math.round(value * 10) / 10;
