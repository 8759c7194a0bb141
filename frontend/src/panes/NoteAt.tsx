/** What a person is told at a place of the page, if anything; of a text that was edited no more than
 * what to do with it. */
import { useRunView } from "../store/context";
import { NoteText } from "./parts";

export interface NextNote {
  /** Which of them this one is, "1 of 3", and the name of the place of the next. */
  place: string;
  title: string;
  go: () => void;
}

export function NoteAt({ at, next = null }: { at: string; next?: NextNote | null }) {
  const { notes, edited } = useRunView();
  const note = notes.value.find((each) => each.at === at && (each.tasks || !edited.value));
  return note ? <NoteText note={note} next={next} /> : null;
}
