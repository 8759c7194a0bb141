/** A snippet that came in the address itself. */
import { batch } from "@preact/signals";
import { unpacked } from "../lib/stateless";
import { notify } from "./page";
import { clear, edit, open, setOptions } from "./running";
import type { RunView } from "./runview";

/** Puts it in the editor, where it is a draft like any other from then on; the address is the front
 * page's again, so that a reload brings the draft and not the snippet as it came. */
export async function openStateless(view: RunView): Promise<void> {
  const found = await unpacked(location.hash);
  history.replaceState(null, "", location.pathname);
  if (!found.ok) {
    await open(view, null);
    view.complaint.value = found.error;
    return;
  }
  view.unfollow();
  batch(() => {
    clear(view);
    edit(view, found.source);
    setOptions(view, found.options);
  });
  notify("This snippet came in the link; nothing of it is stored. Press Run to compile it.");
}
