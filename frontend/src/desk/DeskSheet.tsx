/** What belongs to whoever writes: how the editor behaves, their runs, the texts that they left. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panes/Icon";
import { deskOpen } from "../store/page";
import { EditorOptions } from "./EditorOptions";
import { Left } from "./Left";
import { OwnRuns } from "./OwnRuns";

const TABS = [
  { id: "runs", title: "Your runs", Content: OwnRuns },
  { id: "history", title: "History", Content: Left },
  { id: "editor", title: "Editor", Content: EditorOptions },
] as const;

const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function DeskSheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [shown, setShown] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  const walk = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    const next = (shown + step + TABS.length) % TABS.length;
    setShown(next);
    document.getElementById(`desk-tab-${TABS[next]!.id}`)?.focus();
  };
  const { id, Content } = TABS[shown]!;
  return (
    <dialog
      ref={dialog}
      class="share desk"
      aria-label="Editor, history and your runs"
      onClose={() => (deskOpen.value = false)}
    >
      <div class="share-head desk-head">
        <div
          class="phone-tabs desk-tabs"
          role="tablist"
          aria-label="What is yours"
          onKeyDown={walk}
        >
          {TABS.map((tab, at) => (
            <button
              key={tab.id}
              id={`desk-tab-${tab.id}`}
              role="tab"
              aria-selected={at === shown}
              aria-controls="desk-panel"
              tabIndex={at === shown ? 0 : -1}
              onClick={() => setShown(at)}
            >
              {tab.title}
            </button>
          ))}
        </div>
        <span class="spacer" />
        <button class="quiet" aria-label="Close" onClick={close}>
          <Icon name="cross" />
        </button>
      </div>
      <div
        class="share-rows desk-rows"
        id="desk-panel"
        role="tabpanel"
        aria-labelledby={`desk-tab-${id}`}
        tabIndex={0}
      >
        <Content close={close} />
      </div>
    </dialog>
  );
}
