/** A snippet that is changed and run on the page: what was written stays this tab's, and what came of it
 * stands below. */
import { signal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Block } from "../../net/courses";
import { format, mark, reactionsOf } from "../../panes/editing";
import { Icon } from "../../panes/Icon";
import { useRunView } from "../../store/context";
import { vimKeys } from "../../store/preferences";
import { edit } from "../../store/running";
import type { RunView } from "../../store/runview";
import { Editor } from "../../text/editor";
import { putInOwn } from "../room/handing";
import { needsOf, openInPanes, openStored, runIn } from "./doing";
import { Drawn } from "./Drawn";
import { keep, keepRun, storedText, viewOf } from "./lives";
import { paneFor } from "./looks";
import { Theirs } from "./Theirs";
import { useLed } from "./useLed";
import { useSeen } from "./useSeen";

type Of = Extract<Block, { type: "snippet" }>;

/** Several on a page are told apart by their number. */
const titleOf = (number: number): string => (number === 1 ? "A snippet" : `Snippet ${number}`);

export function Snippet({ block, place, number }: { block: Of; place: string; number: number }) {
  const page = useRunView();
  const { source } = block;
  const title = titleOf(number);
  // One that is drawn otherwise may need another run of the same text.
  const which = `${title} ${JSON.stringify(needsOf(block))} ${source}`;
  const [name, ran] = [`draft ${which}`, `run ${which}`];
  const view = viewOf(name, title);
  const draft = useMemo(() => signal(storedText(name) ?? source), [name]);
  const led = useLed(view, place, which, title);
  useTheirText(led, draft, source);
  const host = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(host);
  const [isAsking, setAsking] = useState(false);
  const shows = async (coming: Promise<void>) => {
    await coming;
    // What was written meanwhile stays; marks of another text are not its.
    edit(view, draft.peek());
  };
  useEffect(() => {
    if (isSeen && view.run.peek() === null) void shows(openStored(view, ran));
  }, [isSeen]);
  useEffect(() => keepRun(ran, view), [view]);
  const run = async () => {
    if (isAsking) return;
    setAsking(true);
    await shows(runIn(view, page, place, draft.peek(), needsOf(block)));
    setAsking(false);
  };
  const write = (text: string) => {
    draft.value = text;
    keep(name, text === source ? null : text);
    if (view.run.peek() !== null) edit(view, text);
  };
  return (
    <div class="deck-live" role="group" aria-label={title} ref={host}>
      {isSeen ? (
        <Written
          title={title}
          view={view}
          draft={draft}
          onRun={() => void run()}
          onChange={write}
        />
      ) : (
        <pre>{draft.value}</pre>
      )}
      {led && <Theirs view={led} own={draft.value} />}
      <Drawn view={led ?? view} look={block} hasVerdict>
        <button class="primary" disabled={isAsking} onClick={() => void run()}>
          <Icon name="run" /> Run it here
        </button>
        {draft.value !== source && (
          <button class="quiet" onClick={() => write(source)}>
            As it was
          </button>
        )}
        <button class="quiet" onClick={() => putInOwn(page, draft.peek())}>
          Put it into the editor
        </button>
        {(led ?? view).run.value !== null && (
          <button
            class="quiet"
            onClick={() => openInPanes(page, led ?? view, paneFor(block), led !== null)}
          >
            Open in the panes
          </button>
        )}
      </Drawn>
    </div>
  );
}

/** A text that nobody has changed here becomes what the leader ran, as their page shows it. */
function useTheirText(led: RunView | null, draft: Signal<string>, source: string): void {
  const given = useRef(source);
  const theirs = led?.run.value?.source;
  useEffect(() => {
    if (theirs === undefined || draft.peek() !== given.current) return;
    given.current = theirs;
    draft.value = theirs;
  }, [theirs]);
}

interface WrittenProps {
  title: string;
  view: RunView;
  draft: Signal<string>;
  onRun: () => void;
  onChange: (text: string) => void;
}

/** The page's editor, with this text. */
function Written({ title, view, draft, onRun, onChange }: WrittenProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const hint = `${view.prefix}-editor-hint`;
  const latest = useRef({ onRun, onChange });
  latest.current = { onRun, onChange };
  useEffect(() => {
    const created = new Editor(
      host.current!,
      draft.peek(),
      hint,
      {
        ...reactionsOf(view, () => void format(created)),
        onRun: () => latest.current.onRun(),
        onChange: (text) => latest.current.onChange(text),
        onReplaced: () => {},
        isReader: false,
      },
      title,
    );
    editor.current = created;
    // What is wrong leads to its line here.
    view.navigation.provideEditor({
      goTo: (line) => created.goTo(line),
      format: () => void format(created),
    });
    return () => {
      view.navigation.provideEditor(null);
      created.destroy();
    };
  }, []);
  useSignalEffect(() => {
    editor.current?.setText(draft.value);
    mark(view, editor.current);
  });
  useSignalEffect(() => void editor.current?.setVim(vimKeys.value));
  return (
    <div class="deck-editor pane-text editor" ref={host}>
      <p class="editor-hint" id={hint}>
        <kbd>Esc</kbd>, then <kbd>Tab</kbd>: leave the editor
      </p>
    </div>
  );
}
