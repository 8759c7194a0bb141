/** The page of a run in a frame, which is loaded only where its address asks for it. */
import { render } from "preact";
import { readView } from "../lib/urlstate";
import { paneOf } from "../panes/registry";
import { NOWHERE } from "../store/address";
import { open } from "../store/running";
import { createRunView } from "../store/runview";
import { EmbedPage } from "./EmbedPage";

const FIRST = "source,fusion";

export function showEmbedded(run: string, page: HTMLElement): void {
  const fields = new URLSearchParams(location.search);
  const wanted = (fields.get("panes") ?? FIRST).split(",").flatMap((id) => paneOf(id) ?? []);
  const shown = readView(location.hash);
  const view = createRunView({ ...NOWHERE, view: () => shown }, "", true);
  void open(view, run);
  render(<EmbedPage view={view} panes={wanted.length > 0 ? wanted : [paneOf("source")!]} />, page);
}
