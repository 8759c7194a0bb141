/** What the live blocks of a page do: ask for a run that is drawn in its place, open it in the panes. */
import { createRun } from "../../net/api";
import type { Look } from "../../net/courses";
import { changeSeat } from "../../net/workshop";
import { runOf } from "../../lib/urlstate";
import { linkOf } from "../../store/address";
import { shownOf } from "../../store/choosing";
import { examples, loadExamples } from "../../store/page";
import { open } from "../../store/running";
import type { RunView } from "../../store/runview";
import { DEFAULT_OPTIONS, type Options } from "../../wire";
import { room } from "../room/attending";
import { goTo } from "../room/following";
import { goToPanes } from "../room/going";
import { showPanes } from "../room/beside";
import { goPast, tellLed } from "./led";
import { storedText } from "./lives";

const NEEDS: Record<string, Partial<Options>> = { timeline: { timeline: true } };

/** What a run is asked for beyond what all have, so that it can be drawn. */
export const needsOf = ({ pane, plot }: Look): Partial<Options> => NEEDS[plot || pane] ?? {};

/** Runs a text for the block at `place`, with what it needs and what all runs of the room have: of thirty
 * people who ask for the same it is one run. To the server it comes from this seat, as what `page` runs
 * does. */
export async function runIn(
  view: RunView,
  page: RunView,
  place: string,
  source: string,
  needs: Partial<Options>,
): Promise<void> {
  view.complaint.value = null;
  goPast(place);
  const now = room.peek();
  const options = { ...DEFAULT_OPTIONS, ...needs, ...now?.options };
  const answer = await createRun(source, options, false, page.editor);
  if (!answer.ok) {
    view.complaint.value = answer.error;
    return;
  }
  await open(view, answer.value.id);
  tellLed(place, answer.value.id);
  // What one runs is one's work, wherever on the page.
  if (now) void changeSeat(now.code, { run: answer.value.id });
}

/** The text of an example of the gallery; undefined where it could not be had, which `view` says. */
export async function textOf(view: RunView, name: string): Promise<string | undefined> {
  if (examples.value.length === 0) view.complaint.value = await loadExamples();
  return examples.value.find((each) => each.name === name)?.source;
}

/** Shows the stored run at a place. */
export const openAt = (view: RunView, place: string): Promise<void> =>
  open(view, runOf(place.replace(/#.*/, "")));

/** What was run here before a reload, if it is still there. */
export async function openStored(view: RunView, name: string): Promise<void> {
  const id = storedText(name);
  if (id === null) return;
  await open(view, id);
  if (view.run.value === null) view.complaint.value = null;
}

/** Opens the run of a block in the panes, and the one to look at. What the leader ran is nobody's work
 * but theirs. */
export function openInPanes(page: RunView, view: RunView, pane: string, isLed = false): void {
  const id = view.run.value!.id;
  showPanes();
  goToPanes(true);
  if (!isLed) page.asked.value = id;
  goTo(page, linkOf(id, shownOf(view)));
  if (pane !== "") page.navigation.show(pane);
}
