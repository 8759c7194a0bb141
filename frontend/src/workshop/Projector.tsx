/** The code of a workshop for the projector: as large as it goes, with its link as a QR code. */
import { useEffect, useRef } from "preact/hooks";
import { qrOf } from "../net/courses";
import { Icon } from "../panes/Icon";

export function Projector({ code, close }: { code: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const link = new URL(`/w/${code}`, location.origin).href;
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="projector" aria-label="Join this workshop" onClose={close}>
      <button class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
        <Icon name="cross" />
      </button>
      <img src={qrOf(code)} alt={`QR code of ${link}`} />
      <p class="code">{code}</p>
      <p>{link}</p>
    </dialog>
  );
}
