/** The page's entry. */
import "./styles";
import { effect } from "@preact/signals";
import { render } from "preact";
import { readConfig } from "./config";
import { App } from "./shell/App";
import { isStateless } from "./lib/fragment";
import { embedOf, pairOf, runOf, workshopOf } from "./lib/urlstate";
import { IrText, StagesTree, TextView } from "./panes/parts";
import { ADDRESS_BAR } from "./store/address";
import { keepDrafts } from "./store/drafts";
import { read } from "./store/storage";
import { roomTitle, workshop } from "./store/page";
import { keepTheme, runsOnPause } from "./store/preferences";
import { open } from "./store/running";
import { createRunView } from "./store/runview";

const page = document.getElementById("app")!;
const pair = pairOf(location.pathname);
const embedded = embedOf(location.pathname);
keepTheme();
if (pair !== null) void import("./compare/page").then(({ showTwo }) => showTwo(pair, page));
else if (embedded !== null)
  void import("./embed/page").then(({ showEmbedded }) => showEmbedded(embedded, page));
else showOne();

function showOne(): void {
  const config = readConfig();
  const view = createRunView(ADDRESS_BAR);
  const openAddress = () => {
    view.notes.value = [];
    if (isStateless(location.hash))
      void import("./store/stateless").then(({ openStateless }) => openStateless(view));
    else void open(view, runOf(location.pathname));
  };
  keepDrafts(view);
  workshop.value = workshopOf(location.pathname) ?? read("sessionStorage", "fuselab.workshop");
  addEventListener("popstate", openAddress);
  openAddress();
  // While the run is asked for, or waits for a worker: every run has stages and texts.
  effect(() => {
    if (view.run.value === null && runOf(location.pathname) === null) return;
    for (const part of [StagesTree, IrText, TextView]) part.fetch();
  });
  effect(() => {
    if (runsOnPause.value)
      void import("./store/pausing").then(({ runOnPause }) => runOnPause(view));
  });
  effect(() => {
    // In a workshop the example of the front page is nobody's.
    const isRoom = roomTitle.value !== "" && view.front.value;
    const name = isRoom ? "" : view.program.value?.name;
    document.title = [name, roomTitle.value, "Fuselab"].filter(Boolean).join(" · ");
  });
  render(<App config={config} view={view} />, page);
}
