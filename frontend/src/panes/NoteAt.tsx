/** What a person is told at a place of the page, if anything; of a text that was edited no more than
 * what to do with it. */
import { useRunView } from "../store/context";
import { NoteText } from "./parts";

export function NoteAt({ at }: { at: string }) {
  const { notes, edited } = useRunView();
  const note = notes.value.find((each) => each.at === at && (each.tasks || !edited.value));
  return note ? <NoteText note={note} /> : null;
}
