/** A note beside what it speaks of, until it is dismissed. */
import type { Note, Task } from "../lib/notes";
import { useRunView } from "../store/context";
import { dismiss } from "../store/notes";
import { Icon } from "./Icon";
import { paneOf } from "./registry";

export function NoteText({ note }: { note: Note }) {
  const view = useRunView();
  return (
    <aside class="callout" aria-label={note.title}>
      <div class="callout-text" tabIndex={0}>
        <p>
          <b>{note.title}.</b> {note.text}
        </p>
        {note.tasks?.map((task) => (
          <TaskText key={task.name} task={task} />
        ))}
      </div>
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

function TaskText({ task: { name, text, pane } }: { task: Task }) {
  const { navigation } = useRunView();
  const title = pane && paneOf(pane)?.title;
  return (
    <p>
      <b>{name}.</b> {text}{" "}
      {title && (
        <button class="link" onClick={() => navigation.show(pane)}>
          Show {title}
        </button>
      )}
    </p>
  );
}
