/** The way out of a page on which nothing has run: what is in the editor is run, or there is an example. */
import { useRunView } from "../store/context";
import { galleryAt } from "../store/page";
import { start } from "../store/running";

export function RunIt() {
  const view = useRunView();
  if (view.isReader || view.busy.value || view.run.value !== null) return null;
  return view.source.value.trim() === "" ? (
    <button onClick={() => (galleryAt.value = "")}>Choose an example</button>
  ) : (
    <button onClick={() => void start(view)}>Run what is in the editor</button>
  );
}
