/** The panes on a wide screen: groups that can be moved, resized and joined. */
import { effect } from "@preact/signals";
import {
  createDockview,
  type DockviewApi,
  type DockviewPanelApi,
  type IContentRenderer,
  type ITabRenderer,
} from "dockview";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { InstanceProvider, kindOf, oneMore } from "../panes/instance";
import { NoteAt } from "../panes/NoteAt";
import { labelOf, PANES, paneOf, type PaneInfo, type Place } from "../panes/registry";
import { chooseText } from "../store/choosing";
import { RunProvider, useRunView } from "../store/context";
import { savedLayout, saveLayout } from "../store/preferences";
import type { RunView } from "../store/runview";
import { movableByKeys } from "./sashes";
import { chosenByArrows } from "./tabs";
import { Widening, type Widened } from "./widening";

const THEME = {
  name: "fuselab",
  className: "dockview-theme-fuselab",
  dndTabIndicator: "line" as const,
};

/** How each group is placed beside an earlier one, and its share of the window. */
const PLACES: Record<
  Exclude<Place, "source">,
  { beside: Place; direction: "right" | "below"; share: number }
> = {
  ir: { beside: "source", direction: "right", share: 0.7 },
  results: { beside: "ir", direction: "below", share: 0.34 },
  code: { beside: "ir", direction: "right", share: 0.35 },
  stages: { beside: "source", direction: "below", share: 0.4 },
};

/** A saved arrangement, and what a pane of it is to give back. */
type Layout = ReturnType<DockviewApi["toJSON"]> & { widened?: Widened | null };

export function Dock() {
  const view = useRunView();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const dock = createDockview(host.current!, {
      createComponent: ({ id, name }) => contentOf(id, name, view),
      createTabComponent: ({ id }) => tab(id, view),
      theme: THEME,
      disableFloatingGroups: true,
    });
    const widening = new Widening(dock);
    view.navigation.dock = {
      show: (pane) => dock.getPanel(pane)?.api.setActive(),
      reset: () => {
        dock.clear();
        arrange(dock, host.current!);
      },
      maximise: (pane) => maximise(dock, pane),
      widen: (pane, width) => widening.widen(pane, width),
      repeat: (pane) => repeat(dock, pane, view),
      close: (pane) => dock.getPanel(pane)?.api.close(),
    };
    if (restored(dock, widening)) widening.narrow();
    else arrange(dock, host.current!);
    movableByKeys(dock, host.current!);
    chosenByArrows(host.current!);
    const front = dock.onDidActivePanelChange(({ panel }) => {
      view.navigation.front.value = panel?.id ?? null;
    });
    const kept = dock.onDidLayoutChange(() => {
      const layout: Layout = { ...dock.toJSON(), widened: widening.now };
      saveLayout(JSON.stringify(layout));
    });
    return () => {
      view.navigation.dock = null;
      front.dispose();
      kept.dispose();
      dock.dispose();
    };
  }, []);
  return <div class="dock" ref={host} />;
}

/** Gives a pane the whole dock, or back the room that it had. */
function maximise(dock: DockviewApi, id: string): void {
  const panel = dock.getPanel(id);
  if (!panel) return;
  if (panel.api.isMaximized()) panel.api.exitMaximized();
  else panel.api.maximize();
}

/** Puts one more of a pane beside it, with the text that it shows. */
function repeat(dock: DockviewApi, name: string, view: RunView): void {
  const id = oneMore(name, (taken) => dock.getPanel(taken) !== undefined);
  const text = view.chosenTexts.peek()[name];
  if (text) chooseText(view, id, text.key);
  const info = { ...paneOf(kindOf(name))!, id };
  const position = { referencePanel: name, direction: "right" as const };
  dock.addPanel({ ...panelOf(info), component: kindOf(name), position });
}

/** Puts every pane in its first place; the first of each group is in front. */
function arrange(dock: DockviewApi, host: HTMLElement): void {
  const first = (place: Place) => PANES.find((pane) => pane.place === place)!.id;
  dock.addPanel(panelOf(PANES[0]!));
  for (const [place, { beside, direction, share }] of Object.entries(PLACES)) {
    const size =
      direction === "right"
        ? { initialWidth: host.clientWidth * share }
        : { initialHeight: host.clientHeight * share };
    const info = paneOf(first(place as Place))!;
    dock.addPanel({
      ...panelOf(info),
      ...size,
      position: { referencePanel: first(beside), direction },
    });
  }
  for (const pane of PANES.filter(({ id }) => !dock.getPanel(id))) {
    dock.addPanel({
      ...panelOf(pane),
      inactive: true,
      position: { referencePanel: first(pane.place) },
    });
  }
  dock.getPanel("source")?.api.setActive();
}

const panelOf = ({ id, title }: PaneInfo) => ({ id, component: id, tabComponent: "tab", title });

/** Brings the last arrangement back; false where there is none, or it is another version's. */
function restored(dock: DockviewApi, widening: Widening): boolean {
  const text = savedLayout();
  if (text === null) return false;
  try {
    const { widened, ...layout } = JSON.parse(text) as Layout;
    dock.fromJSON(layout);
    widening.now = widened ?? null;
    const isKnown = dock.panels.every(({ id }) => paneOf(kindOf(id)));
    if (isKnown && PANES.every(({ id }) => dock.getPanel(id))) return true;
  } catch {
    // An arrangement that cannot be read is no loss: the first one takes its place.
  }
  dock.clear();
  return false;
}

function contentOf(id: string, name: string, view: RunView): IContentRenderer {
  const element = document.createElement("div");
  const pane = paneOf(name);
  element.className = "dock-pane";
  element.dataset.pane = id;
  element.tabIndex = -1;
  const draw = () =>
    pane &&
    render(
      <RunProvider value={view}>
        <InstanceProvider value={id}>
          <pane.Component />
          <NoteAt at={id} />
        </InstanceProvider>
      </RunProvider>,
      element,
    );
  return {
    element,
    init: ({ api }) => whenSeen(api, draw),
    dispose: () => render(null, element),
  };
}

/** A pane behind others is drawn when it comes to the front for the first time: a large program has
 * thousands of rows in them. */
function whenSeen(api: DockviewPanelApi, draw: () => void): void {
  let isDrawn = false;
  const look = () => {
    if (isDrawn || !api.isVisible) return;
    isDrawn = true;
    waiting.dispose();
    draw();
  };
  const waiting = api.onDidVisibilityChange(look);
  // While the panes are put in their places each takes itself to be seen: they are all there after it.
  queueMicrotask(look);
}

function tab(id: string, view: RunView): ITabRenderer {
  const element = document.createElement("div");
  element.className = "dock-tab";
  const pane = paneOf(kindOf(id));
  let stop = () => {};
  return {
    element,
    init: ({ api, title }) => {
      const label = () => (pane ? labelOf(pane, view) : title);
      stop = effect(() => {
        element.textContent = label();
        api.setTitle(label());
      });
      // The panel is given its first title after this, and its tab is read aloud by it.
      queueMicrotask(() => api.setTitle(label()));
    },
    dispose: () => stop(),
  };
}
