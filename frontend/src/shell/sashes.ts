/**
 * The borders between panes by keyboard: Dockview's can be dragged only.
 *
 * A key is told to it as the drag that it stands for, so that its own least sizes hold.
 */
import type { DockviewApi } from "dockview";

const STEP_PX = 24;
const FAR_PX = 1e5;

type Axis = "x" | "y";

const KEYS: Record<Axis, Record<string, number>> = {
  x: { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX, Home: -FAR_PX, End: FAR_PX },
  y: { ArrowUp: -STEP_PX, ArrowDown: STEP_PX, Home: -FAR_PX, End: FAR_PX },
};

/** Makes the borders separators that can be reached and moved, and keeps those so that come later. */
export function movableByKeys(dock: DockviewApi, host: HTMLElement): void {
  const tell = () => {
    for (const sash of host.querySelectorAll<HTMLElement>(".dv-sash")) name(sash);
  };
  dock.onDidLayoutChange(tell);
  host.addEventListener("keydown", (event) => {
    const sash = (event.target as HTMLElement).closest<HTMLElement>(".dv-sash");
    const by = sash && KEYS[axisOf(sash)][event.key];
    if (!sash || !by) return;
    event.preventDefault();
    drag(sash, by);
    name(sash);
  });
  tell();
}

/** A border that stands upright is moved along x. */
const axisOf = (sash: HTMLElement): Axis =>
  sash.closest(".dv-split-view-container")!.classList.contains("dv-horizontal") ? "x" : "y";

function name(sash: HTMLElement): void {
  const axis = axisOf(sash);
  sash.tabIndex = 0;
  sash.role = "separator";
  sash.ariaLabel =
    axis === "x" ? "Width of the panes beside" : "Height of the panes above and below";
  sash.ariaOrientation = axis === "x" ? "vertical" : "horizontal";
  sash.ariaValueNow = String(shareOf(sash, axis));
}

/** Where the border stands, as percent of what it divides. */
function shareOf(sash: HTMLElement, axis: Axis): number {
  const own = sash.getBoundingClientRect();
  const whole = sash.closest(".dv-split-view-container")!.getBoundingClientRect();
  const [at, size] =
    axis === "x" ? [own.x - whole.x, whole.width] : [own.y - whole.y, whole.height];
  return size > 0 ? Math.round((100 * at) / size) : 0;
}

function drag(sash: HTMLElement, by: number): void {
  const { x, y } = sash.getBoundingClientRect();
  const [dx, dy] = axisOf(sash) === "x" ? [by, 0] : [0, by];
  const at = (type: string, clientX: number, clientY: number) =>
    new PointerEvent(type, { bubbles: true, clientX, clientY });
  sash.dispatchEvent(at("pointerdown", x, y));
  document.dispatchEvent(at("pointermove", x + dx, y + dy));
  document.dispatchEvent(at("pointerup", x + dx, y + dy));
}
