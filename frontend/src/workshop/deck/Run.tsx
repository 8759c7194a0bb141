/** A run on a page: a stored one is drawn when it comes into sight, an example of the gallery once
 * somebody has run it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Block } from "../../net/courses";
import { Icon } from "../../panes/Icon";
import { useRunView } from "../../store/context";
import type { RunView } from "../../store/runview";
import { needsOf, openAt, openInPanes, openStored, runIn, textOf } from "./doing";
import { Drawn } from "./Drawn";
import { ledRun } from "./led";
import { keepRun, opened, openNext, viewOf } from "./lives";
import { nameOf, paneFor } from "./looks";
import { useSeen } from "./useSeen";

type Of = Extract<Block, { type: "run" }>;

export function Run({ block, place: at }: { block: Of; place: string }) {
  const page = useRunView();
  const { example, place, says } = block;
  const title = block.title || "A stored run";
  const [view, name] = runOfBlock(block, title);
  const named = nameOf(block);
  const host = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(host);
  const [isAsking, setAsking] = useState(false);
  const run = view.run.value;
  const look = () =>
    opened(view, () => (place === "" ? openStored(view, name) : openAt(view, place)));
  useEffect(() => {
    if (isSeen && view.run.peek() === null) void look();
  }, [isSeen]);
  useEffect(() => keepRun(name, view), [view]);
  // It is the same text for all: what the leader ran takes the place of one's own.
  const led = ledRun(at, run?.id);
  useEffect(() => {
    if (isSeen && led !== null) void openNext(view, led);
  }, [isSeen, led]);
  const ask = async () => {
    setAsking(true);
    const source = await textOf(view, example);
    if (source !== undefined) await runIn(view, page, at, source, needsOf(block));
    setAsking(false);
    host.current?.focus({ preventScroll: true });
  };
  const isRunnable = example !== "" && (run === null || run.state === "cancelled");
  const isComing = place !== "" && run === null && view.complaint.value === null;
  return (
    <div
      class="deck-live"
      role="group"
      aria-label={[title, named].filter(Boolean).join(": ")}
      ref={host}
      tabIndex={-1}
    >
      <p>
        {/* The server renders it with HTML off. */}
        <strong>{title}.</strong>{" "}
        <span class="deck-says" dangerouslySetInnerHTML={{ __html: says }} />{" "}
        <span class="faint">{named && `(${named})`}</span>
      </p>
      {isComing && <p role="status">Fetching the run</p>}
      <Drawn view={view} look={block}>
        {isRunnable && (
          <button
            class="primary"
            aria-label={`Run: ${title}`}
            disabled={isAsking}
            onClick={() => void ask()}
          >
            <Icon name="run" /> Run
          </button>
        )}
        {place !== "" && view.complaint.value !== null && run === null && (
          <button onClick={() => void look()}>Look again</button>
        )}
        {run !== null && (
          <button
            class="quiet"
            aria-label={`Open in the panes: ${title}`}
            onClick={() => openInPanes(page, view, paneFor(block))}
          >
            Open in the panes
          </button>
        )}
      </Drawn>
    </div>
  );
}

/** The run of a block, and what it is kept by: blocks of one run share it, and what is chosen in one is
 * lit in the others. */
function runOfBlock(block: Of, title: string): [view: RunView, name: string] {
  const name = `run ${block.example}${block.place} ${JSON.stringify(needsOf(block))}`;
  return [viewOf(name, title, block.place), name];
}
