/** The snippet, what is asked of it, and what is wrong with it. */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { lineHues, litLines } from "../lib/linemap";
import { edit, selectSourceLine, start } from "../store/actions";
import { provideEditor } from "../store/navigation";
import { editorMarks, hues, selection, source, sourceLines } from "../store/state";
import { Editor } from "../text/editor";
import { OptionsForm } from "./OptionsForm";
import { Problems } from "./Problems";

export function SourcePane() {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);

  useEffect(() => {
    const made = new Editor(host.current!, source.peek(), {
      onChange: edit,
      onRun: () => void start(),
      onLine: selectSourceLine,
    });
    editor.current = made;
    provideEditor((line) => made.goTo(line));
    return () => {
      provideEditor(null);
      made.destroy();
      editor.current = null;
    };
  }, []);

  // One effect, for marks and links have places only once the text that they speak of is there.
  useSignalEffect(() => {
    const { nodes, origin } = selection.value;
    const map = sourceLines.value;
    editor.current?.setText(source.value);
    editor.current?.setMarks(editorMarks.value);
    editor.current?.link({ lit: litLines(map, nodes), hues: lineHues(map, hues.value) });
    if (origin !== "source") editor.current?.reveal();
  });

  return (
    <div class="pane">
      <div class="pane-text editor" ref={host} />
      <Problems />
      <OptionsForm />
    </div>
  );
}
