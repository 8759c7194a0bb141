/** The editor of the text that the workshop writes together. */
import { effect, useSignalEffect } from "@preact/signals";
import { Compartment, EditorState, Transaction, type Extension } from "@codemirror/state";
import { ViewPlugin } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { ySync, ySyncAnnotation, YSyncConfig, ySyncFacet } from "y-codemirror.next";
import { format, mark, reactionsOf, tell, unmark } from "../../panes/editing";
import { useRunView } from "../../store/context";
import { bothTexts, vimKeys } from "../../store/preferences";
import { Editor } from "../../text/editor";
import type { Copy } from "./copy";
import { cursors } from "./cursors";
import { hasPen, sharing, type Sharing } from "./state";

export function SharedText() {
  const shared = sharing.value;
  // A copy that takes another's place has an editor of its own.
  return shared && <Text key={shared.copy.value.doc.clientID} shared={shared} />;
}

function Text({ shared }: { shared: Sharing }) {
  const view = useRunView();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const isShown = view.shared.value !== null;
  const hint = `${view.prefix}-shared-hint`;

  useEffect(() => {
    const copy = shared.copy.peek();
    const formatIt = () => void (hasPen.peek() && format(created));
    const created = new Editor(
      host.current!,
      copy.text.toString(),
      hint,
      { ...reactionsOf(view, formatIt), onChange: () => {}, onReplaced: () => {}, isReader: false },
      "Shared text",
      together(copy),
    );
    editor.current = created;
    return () => {
      created.destroy();
      editor.current = null;
    };
  }, []);

  useSignalEffect(() => {
    const shown = editor.current;
    if (view.shared.value === null || shown === null) return;
    view.navigation.provideEditor({
      goTo: (line) => shown.goTo(line),
      format: () => void (hasPen.peek() && format(shown)),
    });
  });

  // As in one's own editor: marks have places only once the text is there, which comes by itself.
  useSignalEffect(() => {
    (view.shared.value !== null ? mark : unmark)(view, editor.current);
  });

  useSignalEffect(() => {
    void editor.current?.setVim(vimKeys.value).then(tell);
  });

  return (
    <div
      class={`pane-text editor ${isShown ? "runs" : ""}`}
      id={`${view.prefix}-shared-text`}
      role="tabpanel"
      aria-label="Shared"
      ref={host}
      hidden={!isShown && !bothTexts.value}
      onFocusIn={() => (view.shared.value = shared.text)}
    >
      <p class="editor-hint" id={hint}>
        <kbd>Esc</kbd>, then <kbd>Tab</kbd>: leave the editor
      </p>
    </div>
  );
}

/** Has the editor's text and the copy say the same, and lets in what is written by who may. What
 * others wrote is not undone here. */
function together(copy: Copy): Extension {
  const config = new YSyncConfig(copy.text, copy.awareness);
  const isTheirs = (transaction: Transaction) => transaction.annotation(ySyncAnnotation) != null;
  return [
    ySyncFacet.of(config),
    ySync,
    cursors(copy),
    EditorState.changeFilter.of((change) => hasPen.peek() || isTheirs(change)),
    EditorState.transactionExtender.of((change) =>
      isTheirs(change) ? { annotations: Transaction.addToHistory.of(false) } : null,
    ),
    reading(),
  ];
}

/** Whether the text is to be read alone, as the pen goes from hand to hand. */
function reading(): Extension {
  const place = new Compartment();
  const now = () => EditorState.readOnly.of(!hasPen.value);
  const following = ViewPlugin.define((view) => {
    let isFirst = true;
    const end = effect(() => {
      const effects = place.reconfigure(now());
      if (!isFirst) view.dispatch({ effects });
      isFirst = false;
    });
    return { destroy: end };
  });
  return [place.of(now()), following];
}
