/** Search and zoom of the fusion graph. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Box } from "../graph/parts";
import { percent } from "../lib/format";
import { useRunView } from "../store/context";
import { Icon } from "./Icon";

interface Props {
  scale: number;
  onZoom: (scale: number) => void;
  onFit: () => void;
  /** The graph has another room. */
  onRoom: () => void;
  wanted: string;
  onWanted: (text: string) => void;
  found: readonly Box[] | null;
  onFound: (id: string) => void;
  isTable: boolean;
  onTable: (on: boolean) => void;
  onSave: () => void;
  children?: ComponentChildren;
}

const STEP = 1.25;

export function FusionTools({
  scale,
  onZoom,
  onFit,
  onRoom,
  wanted,
  onWanted,
  found,
  onFound,
  isTable,
  onTable,
  onSave,
  children,
}: Props) {
  const { dock } = useRunView().navigation;
  const next = useRef(0);
  const [isMore, setMore] = useState(false);
  const walk = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !found || found.length === 0) return;
    event.preventDefault();
    onFound(found[next.current++ % found.length]!.id);
  };
  return (
    <div class={isMore ? "pane-head wraps fusion-tools more" : "pane-head wraps fusion-tools"}>
      <input
        type="search"
        class="filter"
        placeholder="Search"
        aria-label="Search the graph"
        value={wanted}
        onInput={(event) => {
          next.current = 0;
          onWanted((event.target as HTMLInputElement).value);
        }}
        onKeyDown={walk}
      />
      {found && (
        <span class="faint" role="status">
          {found.length} found
        </span>
      )}
      <span class="seldom choices">{children}</span>
      <span class="spacer" />
      <span class="together" role="group" aria-label="Zoom">
        <button aria-label="Zoom out" title="Zoom out (−)" onClick={() => onZoom(scale / STEP)}>
          −
        </button>
        <button title="Actual size" onClick={() => onZoom(1)}>
          {percent(scale)}
        </button>
        <button aria-label="Zoom in" title="Zoom in (+)" onClick={() => onZoom(scale * STEP)}>
          +
        </button>
        <button title="All of it (0)" onClick={onFit}>
          Fit
        </button>
      </span>
      <span class="seldom">
        <button
          title="What reads what, as a table"
          aria-pressed={isTable}
          onClick={() => onTable(!isTable)}
        >
          Table
        </button>
        {dock && (
          <button
            title="All the room, or back"
            aria-label="Maximise the graph"
            onClick={() => {
              dock.maximise("fusion");
              // The dock lays its panes out within the next frame.
              requestAnimationFrame(() => requestAnimationFrame(onRoom));
            }}
          >
            <Icon name="maximise" />
          </button>
        )}
        <button title="Download as SVG" aria-label="Download as SVG" onClick={onSave}>
          <Icon name="download" />
        </button>
      </span>
      <button
        class="rest"
        title="What else there is to choose"
        aria-label="More of the graph's tools"
        aria-expanded={isMore}
        onClick={() => setMore(!isMore)}
      >
        <Icon name="more" />
      </button>
    </div>
  );
}
