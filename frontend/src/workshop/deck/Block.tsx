/** A block of a page: text, or something to press. */
import type { Block as Content } from "../../net/courses";
import { Icon } from "../../panes/Icon";
import { paneOf } from "../../panes/registry";
import { useRunView } from "../../store/context";
import { begin, exercises } from "../exercises/state";
import { openRun, put } from "./doing";

export function Block({ block }: { block: Content }) {
  switch (block.type) {
    case "html":
      // The server renders it with HTML off: webapp/workshops/courses/markdown.py.
      return <div class="deck-text" dangerouslySetInnerHTML={{ __html: block.html }} />;
    case "run":
      return <Run block={block} />;
    case "snippet":
      return <Snippet source={block.source} />;
    case "exercise":
      return <Exercise name={block.name} />;
  }
}

function Run({ block }: { block: Extract<Content, { type: "run" }> }) {
  const view = useRunView();
  const { title, says, pane } = block;
  const name = title === "" ? "A stored run" : title;
  const verb = title === "" ? "Open" : "Run";
  return (
    <div class="deck-live">
      <p>
        <strong>{name}.</strong> {says}{" "}
        {pane !== "" && <span class="faint">({paneOf(pane)?.title ?? pane})</span>}
      </p>
      <button
        class="primary"
        aria-label={`${verb}: ${name}`}
        onClick={() => void openRun(view, block)}
      >
        <Icon name="run" /> {verb}
      </button>
    </div>
  );
}

function Snippet({ source }: { source: string }) {
  const view = useRunView();
  return (
    <div class="deck-live">
      <pre tabIndex={0} role="group" aria-label="A snippet">
        <code>{source}</code>
      </pre>
      <button onClick={() => put(view, source)}>Put it into the editor</button>
    </div>
  );
}

function Exercise({ name }: { name: string }) {
  const view = useRunView();
  const found = exercises.value?.find((each) => each.name === name);
  if (!found) return null;
  return (
    <div class="deck-live">
      <p>
        <strong>Exercise: {found.title}</strong>
      </p>
      <button
        class="primary"
        aria-label={`Start: ${found.title}`}
        onClick={() => begin(view, found)}
      >
        Start
      </button>
    </div>
  );
}
