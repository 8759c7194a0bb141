/** The one view of every text: a viewer, lit by the selection and scrolled to it. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Place } from "../lib/graphs";
import {
  chosenOfLine,
  closeness,
  closestFirst,
  hueOfKernel,
  lineHues,
  litLines,
  type LineMap,
} from "../lib/linemap";
import { hover, select, tellLit } from "../store/choosing";
import { useRunView } from "../store/context";
import { areBeside, wraps } from "../store/preferences";
import type { RunView } from "../store/runview";
import { NO_LINKS, type Links } from "../text/links";
import { makeReady } from "../text/sheets";
import { Viewer, type Actions, type Side } from "../text/viewer";
import type { Artifact, Stage } from "../wire";
import { Missing } from "./Missing";
import { TextTools, type Walk } from "./TextTools";
import { useText } from "./useText";

interface Props {
  pane: string;
  label: string;
  after: Artifact;
  /** The stage that the text is of. */
  place: Stage;
  before?: Artifact | null;
  /** The run that the text before is of, and its stage there, where it is another run's. */
  other?: { view: RunView; place: Stage } | undefined;
  /** Whether one more of the pane may stand beside it, for another of its texts. */
  isRepeatable?: boolean;
  /** What stands in the pane's head, before the buttons. */
  children?: ComponentChildren;
  /** What stands under the text. */
  below?: ComponentChildren;
}

/** Two columns need this much room; below it a comparison is one column. */
const SPLIT_PX = 600;

export function TextView({ pane, label, place, children, below, other, ...given }: Props) {
  const view = useRunView();
  const [isSeen, setSeen] = useState(false);
  const first = { view: other?.view ?? view, place: other?.place ?? place };
  const looked = useText(given.after, isSeen);
  const compared = useText(given.before ?? null, isSeen, first.view);
  const [after, before] = [looked.artifact, compared?.artifact ?? null];
  const awaited = [looked, compared].find((each) => each?.missing) ?? null;
  const host = useRef<HTMLDivElement>(null);
  const viewer = useRef<Viewer | null>(null);
  const [wide, setWide] = useState(false);
  const [walk, setWalk] = useState<Walk>({ count: 0, at: 0 });
  // How many texts were drawn after they were to be: the lit lines are theirs only then.
  const [drawn, setDrawn] = useState(0);
  const actions = useRef<Lines>(NO_LINES);
  const of = (side: Side) =>
    side === "before" && before ? ([before, first.view] as const) : ([after, view] as const);
  actions.current = {
    onLine: (side, line, whole) => {
      const [{ nodes: map }, run] = of(side);
      const { nodes, values } = chosenOfLine(map, line, whole);
      select(run, nodes, pane, values);
    },
    onHover: (side, line) => {
      const [{ nodes: map }, run] = of(side);
      hover(run, chosenOfLine(map, line ?? 0, false), pane);
    },
  };

  // Before its first frame: the texts of a pane that is seen are asked for at once.
  useLayoutEffect(() => setSeen(host.current!.clientWidth > 0), []);

  useEffect(() => {
    if (awaited) makeReady(charactersOf(given.after) + charactersOf(given.before));
  }, [awaited !== null]);

  useEffect(() => {
    const created = new Viewer(host.current!, {
      onLine: (...line) => actions.current.onLine(...line),
      onHover: (...line) => actions.current.onHover(...line),
      onDrawn: () => setDrawn((count) => count + 1),
    });
    viewer.current = created;
    const sized = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      setSeen(width > 0);
      if (width === 0) return;
      setWide(width >= SPLIT_PX);
      created.restoreScroll();
      created.reveal();
    });
    sized.observe(host.current!);
    return () => {
      sized.disconnect();
      created.destroy();
    };
  }, []);

  const isSplittable = wide && before !== null;
  const split = isSplittable && areBeside.value;
  const isHere = awaited === null;
  const wrap = wraps.value;
  useEffect(() => {
    if (isHere) viewer.current?.show({ label, after, before, split, wrap });
  }, [isHere, after.text, before?.text, after.language, label, split, wrap]);

  const [selection, otherSelection] = [view.selection.value, first.view.selection.value];
  const hues = view.huesOf(place.backend);
  const tell = (at: number) => {
    const { lit, rank } = linksOf(view, after, place);
    const lines = closestFirst(lit, rank);
    tellLit(view, pane, { lines, at, backend: place.backend, text: after.text });
  };
  useEffect(() => {
    if (!isHere || !viewer.current) return;
    viewer.current.link(
      linksOf(view, after, place),
      before ? linksOf(first.view, before, first.place) : NO_LINKS,
    );
    setWalk(viewer.current.walk);
    tell(viewer.current.walk.at);
    if (selection.origin !== pane) viewer.current.reveal();
  }, [isHere, after, before, split, wrap, selection, otherSelection, hues, label, drawn]);

  const [hovered, hoveredOther] = [view.hovered.value, first.view.hovered.value];
  useEffect(() => {
    if (!isHere || !isSeen) return;
    viewer.current?.hover(
      litLines(after.nodes, hovered),
      before ? litLines(before.nodes, hoveredOther) : [],
    );
  }, [isHere, isSeen, hovered, hoveredOther]);

  return (
    <div class="pane">
      <div class="pane-head">
        {children}
        <TextTools
          pane={pane}
          label={label}
          artifact={after}
          stage={place.name}
          isHere={isHere}
          isSplit={split}
          isSplittable={isSplittable}
          isCompared={before !== null}
          isRepeatable={given.isRepeatable ?? false}
          walk={walk}
          onWalk={(at) => {
            setWalk({ ...walk, at });
            viewer.current?.goTo(at);
            tell(at);
          }}
          onSearch={() => viewer.current?.search()}
        />
      </div>
      {awaited && <Missing looked={awaited} />}
      <div
        class={isHere ? "pane-text" : "pane-text awaited"}
        ref={host}
        onScrollCapture={() => viewer.current?.keepScroll()}
      />
      {below}
    </div>
  );
}

/** About as many as there will be. */
const charactersOf = (text: Artifact | null | undefined): number => text?.stored?.bytes ?? 0;

type Lines = Required<Pick<Actions, "onLine" | "onHover">>;

const NO_LINES: Lines = { onLine: () => {}, onHover: () => {} };

function linksOf(view: RunView, artifact: Artifact, { graph, backend }: Place): Links {
  const map: LineMap = artifact.nodes;
  const only = hueOfKernel(view.kernelsOf(backend), artifact.kernel, view.partsOf(graph));
  const hues = lineHues(map, view.huesOf(backend), only);
  const lit = litLines(map, view.selection.value);
  return { lit, hues, rank: closeness(map, artifact.text, lit) };
}
