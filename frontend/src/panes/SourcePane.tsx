/** The snippet, what is asked of it, and what is wrong with it. */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { lineHues, litLines, litSpots } from "../lib/linemap";
import { whyByLine } from "../lib/why";
import { askWhy, selectSourceLine } from "../store/choosing";
import { useRunView } from "../store/context";
import { deskOpen, notify } from "../store/page";
import { vimKeys } from "../store/preferences";
import { edit, start } from "../store/running";
import { Editor } from "../text/editor";
import { Icon } from "./Icon";
import { OptionsForm } from "./OptionsForm";
import { Problems } from "./Problems";

const NO_REASONS: ReadonlyMap<number, string> = new Map();

export function SourcePane() {
  return (
    <div class="pane">
      <SourceText />
      <Problems />
      <OptionsForm />
    </div>
  );
}

/** The editor; to be read alone where nothing is run. */
export function SourceText() {
  const view = useRunView();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);

  useEffect(() => {
    const created = new Editor(host.current!, view.source.peek(), `${view.prefix}-editor-hint`, {
      onChange: (text) => edit(view, text),
      onRun: () => void start(view),
      onLine: (line, { column, whole }) => selectSourceLine(view, line, whole ? null : column),
      onWhy: (line) => askWhy(view, line),
      onFormat: () => void format(editor.current!),
      onReplaced: (text) => void import("../store/history").then((own) => own.remember(text)),
      isReader: view.isReader,
    });
    editor.current = created;
    view.navigation.provideEditor({
      goTo: (line) => created.goTo(line),
      format: () => void format(created),
    });
    return () => {
      view.navigation.provideEditor(null);
      created.destroy();
      editor.current = null;
    };
  }, []);

  // One effect, for marks and links have places only once the text that they speak of is there.
  useSignalEffect(() => {
    const selection = view.selection.value;
    const map = view.sourceLines.value;
    editor.current?.setText(view.source.value);
    editor.current?.setMarks(view.editorMarks.value);
    editor.current?.setReasons(view.edited.value ? NO_REASONS : whyByLine(view.reasons.value));
    editor.current?.link({
      lit: litLines(map, selection),
      hues: lineHues(map, view.huesOf("")),
      spots: map.length > 0 ? litSpots(view.program.value?.nodes ?? [], selection) : [],
    });
    if (selection.origin !== "source") editor.current?.reveal();
  });

  useSignalEffect(() => {
    void editor.current?.setVim(vimKeys.value).then(tell);
  });

  return (
    <div class="pane-text editor" ref={host}>
      {!view.isReader && (
        <button
          class="quiet editor-more"
          aria-label="Your runs, history, editor"
          title="Your runs, history, format, Vim keys"
          onClick={() => (deskOpen.value = true)}
        >
          <Icon name="more" />
        </button>
      )}
      <p class="editor-hint" id={`${view.prefix}-editor-hint`}>
        <kbd>Esc</kbd>, then <kbd>Tab</kbd>: leave the editor
      </p>
    </div>
  );
}

const format = async (editor: Editor): Promise<void> => tell(await editor.format());

const tell = (problem: string | null): void => {
  if (problem !== null) notify(problem);
};
