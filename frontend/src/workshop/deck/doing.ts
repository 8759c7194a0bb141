/** What the live blocks of a page do: each puts something into the editor or the panes. One's own text
 * is kept, to be put back. */
import type { Block } from "../../net/courses";
import { openExample } from "../../store/examples";
import { examples, loadExamples } from "../../store/page";
import { edit, start } from "../../store/running";
import type { RunView } from "../../store/runview";
import { makeRoom } from "../aside";
import { problem } from "../attending";
import { goTo } from "../following";
import { showPanes } from "../beside";

type Of<T extends Block["type"]> = Extract<Block, { type: T }>;

/** Opens the run of a block, and the pane to look at. */
export async function openRun(view: RunView, block: Of<"run">): Promise<void> {
  showPanes();
  if (block.example === "") goTo(view, block.place);
  else await runExample(view, block.example);
  if (block.pane !== "") view.navigation.show(block.pane);
}

async function runExample(view: RunView, name: string): Promise<void> {
  if (examples.value.length === 0) problem.value = await loadExamples();
  const example = examples.value.find((each) => each.name === name);
  if (!example) return;
  makeRoom(view, example.source);
  openExample(view, example);
  await start(view);
}

/** Puts a text into the editor. */
export function put(view: RunView, source: string): void {
  showPanes();
  makeRoom(view, source);
  edit(view, source);
  view.navigation.show("source");
}
