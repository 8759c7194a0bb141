/** What can be done with a text: go through what is lit, search, wrap, maximise, copy, keep. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useRunView } from "../store/context";
import { copied, notify } from "../store/page";
import { setBeside, setWraps, wraps } from "../store/preferences";
import type { Artifact } from "../wire";
import { keep } from "./FileView";
import { Icon, type IconName } from "./Icon";
import { isOneMore } from "./instance";

/** How many lines are lit, and which of them, from 0, was gone to. */
export interface Walk {
  count: number;
  at: number;
}

interface Props {
  pane: string;
  label: string;
  artifact: Artifact;
  /** The name of the stage that it is of. */
  stage: string;
  isHere: boolean;
  /** Two columns: lines that go on below would part the rows. */
  isSplit: boolean;
  /** Whether there is room for two columns. */
  isSplittable: boolean;
  /** Of two texts, which a wide pane has beside each other. */
  isCompared: boolean;
  /** Whether one more of the pane may stand beside it. */
  isRepeatable: boolean;
  walk: Walk;
  onWalk: (at: number) => void;
  onSearch: () => void;
}

export function TextTools(props: Props) {
  const { pane, label, artifact, stage, isHere, walk, onWalk, onSearch } = props;
  const { isSplit, isSplittable, isCompared, isRepeatable } = props;
  const { dock } = useRunView().navigation;
  return (
    <>
      <span class="spacer" />
      <span class="tools">
        <Walking walk={walk} onWalk={onWalk} />
        <Tool icon="search" title="Search (Ctrl F)" label={`Search ${label}`} onClick={onSearch} />
        <Seldom label={label}>
          {isSplittable && (
            <button
              class="quiet"
              title="Before and after beside each other, or in one column that may wrap"
              aria-label={`Before and after of ${label} beside each other`}
              aria-pressed={isSplit}
              onClick={() => setBeside(!isSplit)}
            >
              <Icon name="beside" />
            </button>
          )}
          {!isSplit && (
            <button
              class="quiet"
              title="Long lines go on below"
              aria-label="Wrap long lines"
              aria-pressed={wraps.value}
              onClick={() => setWraps(!wraps.value)}
            >
              <Icon name="wrap" />
            </button>
          )}
          {dock && isRepeatable && (
            <Tool
              icon="beside"
              title="One more beside it, for another text"
              label={`One more beside ${label}`}
              onClick={() => dock.repeat(pane)}
            />
          )}
          {dock && (
            <Tool
              icon="maximise"
              title={
                isCompared && !isSplit
                  ? "All the room: before and after beside each other"
                  : "All the room, or back"
              }
              label={`Maximise ${label}`}
              onClick={() => dock.maximise(pane)}
            />
          )}
          <Tool
            icon="copy"
            title="Copy the text"
            label={`Copy ${label}`}
            disabled={!isHere}
            onClick={() => void copy(artifact)}
          />
          <Tool
            icon="download"
            title="Download the text"
            label={`Download ${label}`}
            disabled={!isHere}
            onClick={() => keep(artifact, stage)}
          />
        </Seldom>
        {dock && isOneMore(pane) && (
          <Tool
            icon="cross"
            title="Take this one away"
            label={`Close this ${label}`}
            onClick={() => dock.close(pane)}
          />
        )}
      </span>
    </>
  );
}

/** What a narrow head that has more to say shows when it is asked for. */
function Seldom({ label, children }: { label: string; children: ComponentChildren }) {
  const [isMore, setMore] = useState(false);
  return (
    <>
      <button
        class="quiet ask-more"
        title="Wrap, one more beside, maximise, copy, download"
        aria-label={`More tools of ${label}`}
        aria-expanded={isMore}
        onClick={() => setMore(!isMore)}
      >
        <Icon name="more" />
      </button>
      <span class={isMore ? "seldom asked" : "seldom"}>{children}</span>
    </>
  );
}

interface ToolProps {
  icon: IconName;
  title: string;
  label: string;
  disabled?: boolean;
  onClick: () => void;
}

const Tool = ({ icon, title, label, disabled = false, onClick }: ToolProps) => (
  <button class="quiet" title={title} aria-label={label} disabled={disabled} onClick={onClick}>
    <Icon name={icon} />
  </button>
);

/** "2 of 14", with arrows to the one before and the next; nothing where one look is enough. */
function Walking({ walk: { count, at }, onWalk }: { walk: Walk; onWalk: (at: number) => void }) {
  if (count < 2) return null;
  const step = (by: number) => onWalk((at + by + count) % count);
  return (
    <span class="walk" role="group" aria-label="Lines that are lit">
      <Tool
        icon="up"
        title="The lit line above"
        label="Previous lit line"
        onClick={() => step(-1)}
      />
      <span class="number" role="status">
        {at + 1} of {count}
      </span>
      <Tool icon="down" title="The lit line below" label="Next lit line" onClick={() => step(1)} />
    </span>
  );
}

async function copy(artifact: Artifact): Promise<void> {
  const done = await copied(artifact.text);
  notify(done ? `Copied ${artifact.name}.` : "The browser does not allow copying here.");
}
