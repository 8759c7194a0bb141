/** The one view of every text: a viewer, lit by the selection and scrolled to it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Place } from "../lib/graphs";
import { hueOfKernel, lineHues, litLines, nodesOfLine, type LineMap } from "../lib/linemap";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import { copied, notify } from "../store/page";
import type { RunView } from "../store/runview";
import { NO_LINKS, type Links } from "../text/links";
import { Viewer, type Side } from "../text/viewer";
import type { Artifact, Stage } from "../wire";
import { keep } from "./FileView";
import { Icon } from "./Icon";
import { Missing } from "./Missing";
import { useText } from "./useText";

interface Props {
  pane: string;
  label: string;
  after: Artifact;
  /** The stage that the text is of. */
  place: Stage;
  before?: Artifact | null;
  /** What stands in the pane's head, before the buttons. */
  children?: ComponentChildren;
  /** What stands under the text. */
  below?: ComponentChildren;
}

/** Two columns need this much room; below it a comparison is one column. */
const SPLIT_PX = 640;

export function TextView({ pane, label, place, children, below, ...given }: Props) {
  const view = useRunView();
  const [isSeen, setSeen] = useState(false);
  const [looked, compared] = [useText(given.after, isSeen), useText(given.before ?? null, isSeen)];
  const [after, before] = [looked.artifact, compared?.artifact ?? null];
  const awaited = [looked, compared].find((each) => each?.missing) ?? null;
  const host = useRef<HTMLDivElement>(null);
  const viewer = useRef<Viewer | null>(null);
  const [wide, setWide] = useState(false);
  const chosen = useRef((_side: Side, _line: number) => {});
  chosen.current = (side, line) => {
    const artifact = side === "before" && before ? before : after;
    select(view, nodesOfLine(artifact.nodes, line), pane);
  };

  useEffect(() => {
    const created = new Viewer(host.current!, (side, line) => chosen.current(side, line));
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

  const split = wide && before !== null;
  const isHere = awaited === null;
  useEffect(() => {
    if (isHere) viewer.current?.show({ label, after, before, split });
  }, [isHere, after.text, before?.text, after.language, label, split]);

  const { nodes, origin } = view.selection.value;
  useEffect(() => {
    if (!isHere) return;
    viewer.current?.link(
      linksOf(view, after, place),
      before ? linksOf(view, before, place) : NO_LINKS,
    );
    if (origin !== pane) viewer.current?.reveal();
  }, [isHere, after, before, split, nodes, view.huesOf(place.backend), label]);

  return (
    <div class="pane">
      <div class="pane-head">
        {children}
        <span class="spacer" />
        <button
          class="quiet"
          title="Copy the text"
          aria-label={`Copy ${label}`}
          disabled={!isHere}
          onClick={() => void copy(after)}
        >
          <Icon name="copy" />
        </button>
        <button
          class="quiet"
          title="Download the text"
          aria-label={`Download ${label}`}
          disabled={!isHere}
          onClick={() => keep(after, place.name)}
        >
          <Icon name="download" />
        </button>
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

async function copy(artifact: Artifact): Promise<void> {
  const done = await copied(artifact.text);
  notify(done ? `Copied ${artifact.name}.` : "The browser does not allow copying here.");
}

function linksOf(view: RunView, artifact: Artifact, { graph, backend }: Place): Links {
  const map: LineMap = artifact.nodes;
  const only = hueOfKernel(view.kernelsOf(backend), artifact.kernel, view.partsOf(graph));
  const hues = lineHues(map, view.huesOf(backend), only);
  return { lit: litLines(map, view.selection.value.nodes), hues };
}
