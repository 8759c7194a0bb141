/** Giving up one's seat, which is asked about: it is pressed by mistake in the middle of a talk. */
import { useRef } from "preact/hooks";
import { leave, you } from "./attending";

export function Leaving({ title }: { title: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  return (
    <>
      <button class="quiet" onClick={() => dialog.current?.showModal()}>
        Leave
      </button>
      <dialog ref={dialog} class="help" aria-label={`Leave ${title}`}>
        <p>
          {you.value?.leads && "The others stay, and nobody leads from here. "}
          What you did here is kept: whoever comes back by the same link has their seat again, with
          all its work.
        </p>
        <p class="help-foot">
          <button class="primary" onClick={() => (close(), void leave())}>
            Leave the workshop
          </button>
          <button onClick={close}>Stay</button>
        </p>
      </dialog>
    </>
  );
}
