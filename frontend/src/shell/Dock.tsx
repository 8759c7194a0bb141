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
import { savedLayout, savedWidened, saveLayout, saveWidened } from "../store/preferences";
import type { RunView } from "../store/runview";
import { movableByKeys } from "./sashes";
import { chosenByArrows } from "./tabs";

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

/** Shares of a dock's width that are the same but for whole pixels. */
const NEAR = 0.01;

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
    view.navigation.dock = {
      show: (pane) => dock.getPanel(pane)?.api.setActive(),
      reset: () => {
        dock.clear();
        arrange(dock, host.current!);
      },
      maximise: (pane) => maximise(dock, pane),
      widen: (pane, width) => widen(dock, pane, width),
      repeat: (pane) => repeat(dock, pane, view),
      close: (pane) => dock.getPanel(pane)?.api.close(),
    };
    if (restored(dock)) narrow(dock);
    else arrange(dock, host.current!);
    movableByKeys(dock, host.current!);
    chosenByArrows(host.current!);
    const front = dock.onDidActivePanelChange(({ panel }) => {
      view.navigation.front.value = panel?.id ?? null;
    });
    const kept = dock.onDidLayoutChange(() => saveLayout(JSON.stringify(dock.toJSON())));
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

/** Widens a pane that is narrower; gives its share of the dock back, unless a border was moved meanwhile. */
function widen(dock: DockviewApi, pane: string, width: number): () => void {
  const had = shareOf(dock, pane);
  const has = Math.min(width / dock.width, 0.5);
  if (!(had < has)) return () => {};
  setShare(dock, pane, has);
  saveWidened({ pane, had, has });
  return () => narrow(dock);
}

/** Gives back what a pane was widened by, be it before the page was loaded. */
function narrow(dock: DockviewApi): void {
  const widened = savedWidened();
  saveWidened(null);
  if (widened && Math.abs(shareOf(dock, widened.pane) - widened.has) < NEAR)
    setShare(dock, widened.pane, widened.had);
}

const shareOf = (dock: DockviewApi, pane: string): number =>
  (dock.getPanel(pane)?.group.width ?? 0) / dock.width;

const setShare = (dock: DockviewApi, pane: string, share: number): void =>
  dock.getPanel(pane)?.group.api.setSize({ width: Math.round(share * dock.width) });

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
function restored(dock: DockviewApi): boolean {
  const text = savedLayout();
  if (text === null) return false;
  try {
    dock.fromJSON(JSON.parse(text) as Parameters<DockviewApi["fromJSON"]>[0]);
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
