/** The drawing in a window that is scrolled, zoomed and searched; what is pointed at says what it is. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { edgeOf } from "../graph/edges";
import type { Box, Drawing, Line } from "../graph/parts";
import type { Placed, Point } from "../graph/layout";
import { firstScale, fitting, matches, neighbour, type Direction, type Room } from "../graph/look";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import { download } from "../store/page";
import { FusionCard } from "./FusionCard";
import { FusionDrawing } from "./FusionDrawing";
import { FusionLegend } from "./FusionLegend";
import { FusionTable } from "./FusionTable";
import { FusionTools } from "./FusionTools";
import { LayingOut } from "./LayingOut";
import { standalone } from "./standalone";
import { useLayout, type Laid } from "./useLayout";

const PANE = "fusion";

interface Props {
  drawing: Drawing;
  /** What the table lists: all that may be opened in the drawing, unless that is too much. */
  listed: Drawing;
  name: string;
  /** How much the plan fuses, in words; blank where that is not told. */
  told: string;
  /** What overrides call the values; null where nothing is to be decided. */
  names: ReadonlyMap<number, string> | null;
  /** A hull is to be closed, or opened. */
  onTurn: (hull: string) => void;
  /** What may be left out. */
  children?: ComponentChildren;
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

const LEAST = 0.05;
const MOST = 3;
const STEP = 1.25;

export function FusionCanvas({ drawing, listed, name, told, names, onTurn, children }: Props) {
  const view = useRunView();
  const layout = useLayout(drawing);
  const { laid, isComing } = layout;
  const host = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  const [active, setActive] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const [wanted, setWanted] = useState("");
  const [isTable, setTable] = useState(false);
  const isPlaced = useRef(false);
  // The box that the keys came to last, from which they go on.
  const start = useRef<string | null>(null);

  useLayoutEffect(() => {
    const room = roomOf(host.current);
    if (!laid || !room || isPlaced.current) return;
    isPlaced.current = true;
    const first = firstScale(laid.placed, room);
    setScale(first);
    requestAnimationFrame(() => begin(host.current, laid));
  }, [laid]);

  const { nodes, origin } = view.selection.value;
  const lit = useMemo(
    () =>
      new Set(laid?.drawing.boxes.filter((box) => box.nodes.some((n) => nodes.has(n))).map(idOf)),
    [laid, nodes],
  );
  const found = useMemo(
    () => (laid && wanted.trim() ? matches(laid.drawing, wanted) : null),
    [laid, wanted],
  );
  const foundIds = useMemo(() => found && new Set(found.map(idOf)), [found]);

  useEffect(() => {
    if (origin === PANE || lit.size === 0) return;
    const [first] = lit;
    if (first !== undefined) show(host.current, first);
  }, [lit, origin]);

  const chosen = (box: Box) => {
    setActive(box.id);
    select(view, new Set(box.nodes), PANE);
  };
  const goTo = (id: string) => {
    setActive(id);
    show(host.current, id, true);
  };
  const zoom = (to: number) => {
    const element = host.current;
    const next = Math.min(MOST, Math.max(LEAST, to));
    const middle = element && centreOf(element, scale);
    setScale(next);
    if (element && middle) requestAnimationFrame(() => centreOn(element, middle, next));
  };

  const zoomInto = (scaleFor: (placed: Placed, room: Room) => number) => {
    const room = roomOf(host.current);
    if (room && laid) zoom(scaleFor(laid.placed, room));
  };

  const clicked = (event: MouseEvent) => {
    const target = event.target as Element;
    const box = laid && boxAt(laid, target);
    const hull = target.closest<SVGElement>("[data-hull]")?.dataset.hull;
    const line = target.closest<SVGElement>("[data-line]")?.dataset.line;
    if (box?.kind === "hull" && event.detail > 1) onTurn(box.id);
    else if (box) chosen(box);
    else if (line) setActive(line);
    else if (pinned) setActive(start.current);
    else if (hull && target.classList.contains("turn")) onTurn(hull);
    else if (hull)
      select(view, new Set(laid?.drawing.hulls.find(({ id }) => id === hull)?.nodes), PANE);
  };
  const focused = (target: Element) => {
    const box = laid && boxAt(laid, target);
    if (box) setActive(box.id);
    setPointed(pointedAt(target));
  };
  const pressed = (event: KeyboardEvent) => {
    if (!laid || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = ARROWS[event.key];
    const box = laid.drawing.boxes.find(({ id }) => id === active);
    if (box) start.current = box.id;
    const from = start.current ?? "";
    if (direction) goTo(neighbour(laid.placed.boxes, from, direction) ?? from);
    else if ((event.key === "Enter" || event.key === " ") && box) chosen(box);
    else if (event.key === "+" || event.key === "=") zoom(scale * STEP);
    else if (event.key === "-") zoom(scale / STEP);
    else if (event.key === "0") fit();
    else if (event.key === "Escape" && pinned) setActive(start.current);
    else if (event.key === "e") setActive(nextLine(laid.drawing, start.current, active) ?? active);
    else if (event.key === "x" && box) onTurn(box.kind === "hull" ? box.id : (box.hull ?? ""));
    else if (event.key === "X" && box) onTurn(frameAround(laid.drawing, box) ?? "");
    else return;
    event.preventDefault();
  };
  const pinned = laid?.drawing.lines.find(({ id }) => id === active);
  const edge = laid && names && pinned ? edgeOf(laid.drawing, pinned, names) : null;
  const fit = () => zoomInto(fitting);
  const settle = () => zoomInto(firstScale);

  return (
    <>
      <FusionTools
        scale={scale}
        onZoom={zoom}
        onFit={fit}
        onRoom={settle}
        wanted={wanted}
        onWanted={setWanted}
        found={found}
        onFound={(id) => {
          setActive(id);
          show(host.current, id);
        }}
        isTable={isTable}
        onTable={setTable}
        onSave={() => save(host.current, name)}
      >
        {children}
      </FusionTools>
      <div class="fusion-window">
        {isTable && <FusionTable drawing={listed} wanted={wanted} names={names} />}
        <div
          class="fusion-scroll"
          hidden={isTable}
          ref={host}
          role="region"
          aria-label={view.called("Fusion graph")}
          tabIndex={0}
          aria-busy={isComing}
          onClick={clicked}
          onKeyDown={pressed}
          onPointerOver={(event) => setPointed(pointedAt(event.target as Element))}
          onPointerLeave={() => setPointed(null)}
          onFocusIn={(event) => focused(event.target as Element)}
        >
          {laid && (
            <FusionDrawing
              laid={laid}
              name={name}
              scale={scale}
              lit={lit}
              found={foundIds}
              active={active}
            />
          )}
        </div>
        {!isTable && (
          <LayingOut key={drawing.boxes.length} layout={layout} boxes={drawing.boxes.length} />
        )}
        {laid && !isTable && (
          // A line that was chosen stays, so that its button can be reached.
          <FusionCard
            drawing={laid.drawing}
            id={edge ? active : (pointed ?? active)}
            edge={edge}
            isClosed={names !== null && pinned !== undefined && hasClosedEnd(laid.drawing, pinned)}
          />
        )}
      </div>
      <FusionLegend drawing={drawing} told={told} decides={names !== null} />
    </>
  );
}

/** Shows where reading begins: the uppermost kernel, else the uppermost box. */
function begin(host: HTMLElement | null, { placed: { hulls, boxes } }: Laid): void {
  const places = hulls.size > 0 ? hulls : boxes;
  const [first] = [...places].sort(([, a], [, b]) => a.y - b.y);
  if (!host || !first) return;
  const id = CSS.escape(first[0]);
  const mark = host.querySelector(`[data-hull="${id}"], [data-box="${id}"]`);
  mark?.scrollIntoView({ block: "nearest", inline: "center" });
  host.scrollTop = 0;
}

/** The frame that a box is in, whether or not its kernel is closed. */
function frameAround({ hulls }: Drawing, { hull }: Box): string | undefined {
  const own = hulls.find(({ id }) => id === hull);
  return own?.isFrame ? own.id : (own?.parent ?? undefined);
}

const idOf = ({ id }: { id: string }): string => id;

const hasClosedEnd = ({ boxes }: Drawing, { from, to }: Line): boolean =>
  boxes.some(({ id, kind }) => kind === "hull" && (id === from || id === to));

/** The line after `line` among those of a box, and after the last the first. */
function nextLine({ lines }: Drawing, box: string | null, line: string | null): string | undefined {
  const own = lines.filter(({ from, to }) => from === box || to === box).map(idOf);
  return own[(own.indexOf(line ?? "") + 1) % own.length];
}

const boxAt = ({ drawing }: Laid, target: Element): Box | null => {
  const id = target.closest<SVGElement>("[data-box]")?.dataset.box;
  return drawing.boxes.find((box) => box.id === id) ?? null;
};

const pointedAt = (target: Element): string | null => {
  const found = target.closest<SVGElement>("[data-box], [data-line], [data-hull]");
  return found?.dataset.box ?? found?.dataset.line ?? found?.dataset.hull ?? null;
};

/** Keeps the drawing as a file that needs nothing else. */
function save(host: HTMLElement | null, name: string): void {
  const drawing = host?.querySelector<SVGSVGElement>(".fusion-drawing");
  if (drawing) download(`${name.replace(/\W+/g, "-")}.svg`, standalone(drawing));
}

function show(host: HTMLElement | null, id: string, focus = false): void {
  requestAnimationFrame(() => {
    const found = host?.querySelector<SVGElement>(`[data-box="${CSS.escape(id)}"]`);
    found?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (focus) found?.focus({ preventScroll: true });
  });
}

function roomOf(host: HTMLElement | null): Room | null {
  if (!host || host.clientWidth === 0) return null;
  return { width: host.clientWidth - 2, height: host.clientHeight - 2 };
}

const centreOf = (host: HTMLElement, scale: number) => ({
  x: (host.scrollLeft + host.clientWidth / 2) / scale,
  y: (host.scrollTop + host.clientHeight / 2) / scale,
});

function centreOn(host: HTMLElement, { x, y }: Point, scale: number): void {
  host.scrollLeft = x * scale - host.clientWidth / 2;
  host.scrollTop = y * scale - host.clientHeight / 2;
}
