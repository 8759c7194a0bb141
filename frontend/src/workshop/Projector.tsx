/** The way into a workshop for the projector: the address to type, as large as it goes, and its link as
 * a QR code. */
import { useEffect, useRef, useState } from "preact/hooks";
import { qrOf } from "../net/courses";
import { getDoor } from "../net/workshop";
import { Icon } from "../panes/Icon";

export function Projector({ code, close }: { code: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { href, host, pathname } = new URL(`/w/${code}`, location.origin);
  const wantsPhrase = usePhrase(code);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="projector" aria-label="Join this workshop" onClose={close}>
      <button class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
        <Icon name="cross" />
      </button>
      <img src={qrOf(code)} alt={`QR code of ${href}`} />
      <p class="code">
        {host}
        <wbr />
        <span>{pathname}</span>
      </p>
      {wantsPhrase && <p class="phrase">A pass phrase is asked for.</p>}
    </dialog>
  );
}

/** Whether the door asks for a pass phrase. */
function usePhrase(code: string): boolean {
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    void getDoor(code).then((answer) => setAsked(answer.ok && answer.value.wants_pass_phrase));
  }, [code]);
  return isAsked;
}
