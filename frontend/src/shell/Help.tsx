/** The sheet of shortcuts, and what can be done to the arrangement. */
import { useEffect, useRef } from "preact/hooks";
import { useRunView } from "../store/context";
import { helpOpen } from "../store/page";
import { SHORTCUTS } from "./keys";

export function Help({ version }: { version: string }) {
  const { navigation } = useRunView();
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={() => (helpOpen.value = false)}
    >
      <h2 id="help-title">Keyboard shortcuts</h2>
      <table>
        <tbody>
          {SHORTCUTS.map(({ keys, does }) => (
            <tr key={keys}>
              <th scope="row">
                {keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">
        Click a line, or move to it with the arrow keys: everything that comes from the same
        operations lights up in every pane. Panes can be dragged by their tabs.
      </p>
      <div class="help-foot">
        <button class="bar-button" onClick={() => navigation.resetLayout()}>
          Reset the layout
        </button>
        <span class="faint">{version && `Fuselab ${version}`}</span>
        <span class="spacer" />
        <button class="primary" onClick={() => (helpOpen.value = false)}>
          Close
        </button>
      </div>
    </dialog>
  );
}
