/** A button of which it is asked whether it is meant: what it does is not taken back, or is a nuisance where
 * it is pressed by mistake in the middle of a talk. */
import { useRef } from "preact/hooks";

interface ConfirmProps {
  label: string;
  /** What is asked about, as a title. */
  about: string;
  act: string;
  /** To leave it as it is. */
  stay: string;
  onAct: () => void;
  /** What becomes of it. */
  children: preact.ComponentChildren;
}

export function Confirm({ label, about, act, stay, onAct, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  return (
    <>
      <button class="quiet" onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} class="help" aria-label={about}>
        <p>{children}</p>
        <p class="help-foot">
          <button class="primary" onClick={() => (close(), onAct())}>
            {act}
          </button>
          <button onClick={close}>{stay}</button>
        </p>
      </dialog>
    </>
  );
}
