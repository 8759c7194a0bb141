/** A note beside what it speaks of, until it is dismissed. */
import { beside, type Example } from "../lib/gallery";
import type { Note, Task } from "../lib/notes";
import { useRunView } from "../store/context";
import { runExample } from "../store/examples";
import { look } from "../store/lessons";
import { dismiss } from "../store/notes";
import { examples } from "../store/page";
import { Coded } from "./Coded";
import { Icon } from "./Icon";
import type { NextNote } from "./NoteAt";
import { paneOf } from "./registry";

export function NoteText({ note, next }: { note: Note; next?: NextNote | null }) {
  const view = useRunView();
  return (
    <aside class={note.example ? "callout lesson" : "callout"} aria-label={note.title}>
      <div class="callout-text" tabIndex={0}>
        <p>
          <b>{note.title}.</b> <Coded text={note.text} />
        </p>
        {note.tasks?.map((task) => (
          <TaskText key={task.name} task={task} />
        ))}
        {next && (
          <p class="callout-next">
            {next.place}{" "}
            <button class="link" onClick={next.go}>
              Next: {next.title}
            </button>
          </p>
        )}
      </div>
      {note.example && <Steps name={note.example} />}
      <button
        class="quiet"
        aria-label={`Dismiss: ${note.title}`}
        title="Dismiss"
        onClick={() => dismiss(view, note)}
      >
        <Icon name="cross" />
      </button>
    </aside>
  );
}

function TaskText({ task: { name, text, sight } }: { task: Task }) {
  const view = useRunView();
  const title = sight && paneOf(sight.pane)?.title;
  return (
    <p>
      <b>{name}.</b> <Coded text={text} />{" "}
      {title && (
        <button class="link" onClick={() => look(view, sight)}>
          Show {title}
        </button>
      )}
    </p>
  );
}

/** To the examples before and after the one of a name. */
function Steps({ name }: { name: string }) {
  const { before, after } = beside(examples.value, name);
  return (
    <div class="callout-steps">
      <Step icon="left" says="Previous example" to={before} />
      <Step icon="right" says="Next example" to={after} />
    </div>
  );
}

function Step(props: { icon: "left" | "right"; says: string; to: Example | undefined }) {
  const view = useRunView();
  const { icon, says, to } = props;
  const label = to ? `${says}: ${to.title}` : `${says}: there is none`;
  return (
    <button
      class="quiet"
      aria-label={label}
      title={label}
      disabled={!to}
      onClick={() => to && runExample(view, to)}
    >
      <Icon name={icon} />
    </button>
  );
}
