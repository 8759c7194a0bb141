/** Everything in which a run or a snippet can be handed on, one section each. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panes/Icon";
import { useRunView } from "../store/context";
import { RoomShare } from "../panes/parts";
import { shareOpen, workshop } from "../store/page";
import { Commands } from "./Commands";
import { Embed } from "./Embed";
import { Files } from "./Files";
import { keptLink, linkTo, statelessLink, keeping } from "./outputs";
import { Copy, Field, Saying, Section } from "./Section";

export function ShareSheet() {
  const view = useRunView();
  const dialog = useRef<HTMLDialogElement>(null);
  const [said, say] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="share"
      aria-labelledby="share-title"
      onClose={() => (shareOpen.value = false)}
    >
      <div class="share-head">
        <h2 id="share-title">Share</h2>
        <p class="share-said" role="status">
          {said}
        </p>
        <button class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="cross" />
        </button>
      </div>
      <div class="share-rows">
        {view.run.value === null ? (
          <p class="note">
            Run the snippet to share its results; the snippet itself can be shared now.
          </p>
        ) : (
          view.edited.value && (
            <p class="note">Results are those of the text that was run, without later edits.</p>
          )
        )}
        <Saying.Provider value={say}>
          {workshop.value !== null && <RoomShare />}
          {view.run.value !== null && <Link />}
          <Stateless />
          {view.run.value !== null && <Embed />}
          <Files />
          <Commands />
        </Saying.Provider>
      </div>
    </dialog>
  );
}

function Link() {
  const view = useRunView();
  return (
    <Section
      title="Link"
      about={`The run with every result, and what is chosen now. ${keeping(view.run.value!)}`}
    >
      <Field name="The link" value={linkTo(view)} />
      <Copy what="Link" make={() => keptLink(view)} />
    </Section>
  );
}

function Stateless() {
  const view = useRunView();
  const [link, setLink] = useState("");
  useEffect(() => {
    void statelessLink(view).then(setLink);
  }, [view.written.value, view.options.value]);
  return (
    <Section
      title="Snippet in a link"
      about={`The text and its options are the address itself, ${link.length} characters: nothing is stored, and whoever opens it presses Run.`}
    >
      <Field name="The snippet as a link" value={link} />
      <Copy what="Snippet link" make={async () => ({ ok: true, text: link, note: "" })} />
    </Section>
  );
}
