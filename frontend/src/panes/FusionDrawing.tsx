/** The fusion graph as an SVG: hulls behind lines behind boxes. */
import { memo } from "./memo";
import type { Box, Hull, Line } from "../graph/parts";
import { HULL_HEAD, pathOf, type Placed, type Point, type Rectangle } from "../graph/layout";
import { widthOf } from "../graph/look";
import { bytes } from "../lib/format";
import type { Laid } from "./useLayout";

export interface Marks {
  /** Ids of boxes that the page's selection lights up. */
  lit: ReadonlySet<string>;
  /** Ids of boxes that are looked for; null where nothing is. */
  found: ReadonlySet<string> | null;
  /** The id of what the keys are at. */
  active: string | null;
}

interface Props extends Marks {
  laid: Laid;
  name: string;
  scale: number;
}

export function FusionDrawing({ laid, name, scale, lit, found, active }: Props) {
  const { drawing, placed } = laid;
  const { width, height } = placed;
  return (
    <svg
      class={found ? "fusion-drawing searched" : "fusion-drawing"}
      width={width * scale}
      height={height * scale}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={name}
    >
      <defs>
        <Arrow id="fusion-arrow" name="arrow" />
        <Arrow id="fusion-arrow-refused" name="arrow refused" />
      </defs>
      <Hulls hulls={drawing.hulls} placed={placed} />
      <Lines lines={drawing.lines} placed={placed} active={active} />
      <HullLabels hulls={drawing.hulls} placed={placed} />
      {drawing.boxes.map((box) => (
        <BoxMark
          key={box.id}
          box={box}
          place={placed.boxes.get(box.id)}
          isLit={lit.has(box.id)}
          isFound={found?.has(box.id) ?? false}
          isActive={active === box.id}
        />
      ))}
    </svg>
  );
}

const Arrow = ({ id, name }: { id: string; name: string }) => (
  <marker
    id={id}
    viewBox="0 0 8 8"
    refX="7"
    refY="4"
    markerWidth="8"
    markerHeight="8"
    markerUnits="userSpaceOnUse"
    orient="auto"
  >
    <path class={name} d="M0 0.5 8 4 0 7.5z" />
  </marker>
);

const Hulls = memo(({ hulls, placed }: { hulls: readonly Hull[]; placed: Placed }) => (
  <>
    {hulls.map((hull) => (
      <HullMark key={hull.id} hull={hull} place={placed.hulls.get(hull.id)} />
    ))}
  </>
));

function HullMark({ hull, place }: { hull: Hull; place: Rectangle | undefined }) {
  if (!place) return null;
  return (
    <g class={`hull ${hueOf(hull)} ${hull.isFrame ? "frame" : ""}`} data-hull={hull.id}>
      {hull.times > 1 && [8, 4].map((by) => <rect key={by} {...shifted(place, by)} rx="10" />)}
      <rect {...place} rx="8" />
    </g>
  );
}

/** Over the lines, which go through them. */
const HullLabels = memo(({ hulls, placed }: { hulls: readonly Hull[]; placed: Placed }) => (
  <>
    {hulls.map((hull) => (
      <HullLabel key={hull.id} hull={hull} place={placed.hulls.get(hull.id)} />
    ))}
  </>
));

function HullLabel({ hull, place }: { hull: Hull; place: Rectangle | undefined }) {
  if (!place) return null;
  const y = place.y + HULL_HEAD - 6;
  return (
    <g
      class={`hull ${hueOf(hull)} ${hull.isFrame ? "frame" : ""}`}
      data-hull={hull.id}
      role="button"
      tabindex={-1}
    >
      <text class="hull-label" x={place.x + 12} y={y}>
        {hull.label}{" "}
      </text>
      <text class="turn" x={place.x + place.width - 20} y={y} aria-hidden="true">
        −
      </text>
    </g>
  );
}

/** A card of a pile, behind the first. */
const shifted = ({ x, y, width, height }: Rectangle, by: number): Rectangle => ({
  x: x + by,
  y: y + by,
  width,
  height,
});

const hueOf = ({ hue }: { hue: number | null }): string => (hue === null ? "" : `hue-${hue}`);

interface LinesProps {
  lines: readonly Line[];
  placed: Placed;
  active: string | null;
}

const Lines = memo(({ lines, placed, active }: LinesProps) => (
  <>
    {lines.map((line) => (
      <LineMark
        key={line.id}
        line={line}
        points={placed.lines.get(line.id) ?? []}
        isActive={active === line.id}
      />
    ))}
  </>
));

interface LineProps {
  line: Line;
  points: readonly Point[];
  isActive: boolean;
}

function LineMark({ line, points, isActive }: LineProps) {
  const refused = line.reasons.length > 0;
  const path = pathOf(points);
  const names = ["line", refused && "refused", line.isApart && "apart", isActive && "active"];
  return (
    <g
      class={names.filter(Boolean).join(" ")}
      data-line={line.id}
      {...(refused && { role: "img", "aria-label": `Not fused: ${line.reasons.join("; ")}` })}
    >
      <path
        class="stroke"
        d={path}
        stroke-width={widthOf(line.bytes)}
        marker-end={`url(#fusion-arrow${refused ? "-refused" : ""})`}
      />
      <path class="reach" d={path} />
    </g>
  );
}

interface BoxProps {
  box: Box;
  place: Rectangle | undefined;
  isLit: boolean;
  isFound: boolean;
  isActive: boolean;
}

const BoxMark = memo(({ box, place, isLit, isFound, isActive }: BoxProps) => {
  if (!place) return null;
  const { x, y, width, height } = place;
  const names = [
    "box",
    box.kind,
    hueOf(box),
    isLit && "lit",
    isFound && "found",
    isActive && "active",
  ];
  const center = x + width / 2;
  return (
    <g
      class={[...names, box.isAgain && "again"].filter(Boolean).join(" ")}
      data-box={box.id}
      role="button"
      tabindex={isActive ? 0 : -1}
      aria-pressed={isLit}
    >
      <rect x={x} y={y} width={width} height={height} rx={box.kind === "operation" ? 5 : 12} />
      <text class="label" x={center} y={y + height / 2 - 3}>
        {box.label}{" "}
      </text>
      <text class="detail" x={center} y={y + height / 2 + 12}>
        {box.detail}
      </text>
    </g>
  );
});

/** One sentence on what a line brings. */
export const lineText = ({ bytes: size, through }: Line): string =>
  [size ? bytes(size) : "", through.length > 0 ? `through ${through.join(", ")}` : ""]
    .filter(Boolean)
    .join(" ");
