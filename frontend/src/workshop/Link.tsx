/** Links that are copied; one that the browser does not let be copied is shown until it is closed, and
 * nowhere else: whoever has that of a leader leads. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { copied, notify } from "../store/page";

/** The link that is shown; null for none. */
const shown = signal<string | null>(null);

export async function copyLink(path: string): Promise<void> {
  const link = new URL(path, location.origin).href;
  if (await copied(link)) notify("Link copied.");
  else shown.value = link;
}

export function Link() {
  const dialog = useRef<HTMLDialogElement>(null);
  const link = shown.value;
  useEffect(() => {
    if (link !== null) dialog.current?.showModal();
  }, [link]);
  useEffect(() => () => void (shown.value = null), []);
  if (link === null) return null;
  return (
    <dialog
      ref={dialog}
      class="help linked"
      aria-label="The link"
      onClose={() => (shown.value = null)}
    >
      <p>The page may not copy here: take it from this field.</p>
      <input
        class="workshop-link"
        aria-label="Link"
        readOnly
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      {new URL(link).hash !== "" && <p>Whoever has this link leads: show it to nobody.</p>}
      <button onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
