/** The snippet, what is asked of it, and what is wrong with it. */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useRunView } from "../store/context";
import { workshop } from "../store/page";
import { bothTexts, vimKeys } from "../store/preferences";
import { edit } from "../store/running";
import { Editor } from "../text/editor";
import { format, mark, reactionsOf, tell, unmark } from "./editing";
import { OptionsForm } from "./OptionsForm";
import { SharedText, TextTabs } from "./parts";
import { Problems } from "./Problems";

export function SourcePane() {
  const isInWorkshop = workshop.value !== null && !useRunView().isReader;
  return (
    <div class="pane">
      {isInWorkshop && <TextTabs />}
      <div class="texts">
        <SourceText />
        {isInWorkshop && <SharedText />}
      </div>
      <Problems />
      <OptionsForm />
    </div>
  );
}

/** The editor of one's own text; to be read alone where nothing is run. */
export function SourceText() {
  const view = useRunView();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);

  useEffect(() => {
    const created = new Editor(host.current!, view.source.peek(), `${view.prefix}-editor-hint`, {
      ...reactionsOf(view, () => void format(created)),
      onChange: (text) => edit(view, text),
      onReplaced: (text) => void import("../store/history").then((own) => own.remember(text)),
      isReader: view.isReader,
    });
    editor.current = created;
    return () => {
      view.navigation.provideEditor(null);
      created.destroy();
      editor.current = null;
    };
  }, []);

  // What is asked of the editor is asked of the one that is shown.
  useSignalEffect(() => {
    const shown = editor.current;
    if (view.shared.value !== null || shown === null) return;
    view.navigation.provideEditor({
      goTo: (line) => shown.goTo(line),
      format: () => void format(shown),
    });
  });

  // One effect, for marks and links have places only once the text that they speak of is there.
  useSignalEffect(() => {
    editor.current?.setText(view.source.value);
    (view.shared.value === null ? mark : unmark)(view, editor.current);
  });

  useSignalEffect(() => {
    void editor.current?.setVim(vimKeys.value).then(tell);
  });

  return (
    <div
      class={`pane-text editor ${view.shared.value === null ? "runs" : ""}`}
      id={`${view.prefix}-own-text`}
      role={workshop.value === null ? undefined : "tabpanel"}
      aria-label={workshop.value === null ? undefined : "Mine"}
      ref={host}
      hidden={view.shared.value !== null && !bothTexts.value}
      onFocusIn={() => (view.shared.value = null)}
    >
      <p class="editor-hint" id={`${view.prefix}-editor-hint`}>
        <kbd>Esc</kbd>, then <kbd>Tab</kbd>: leave the editor
      </p>
    </div>
  );
}
