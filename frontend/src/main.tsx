/** The page's entry. */
import "./styles";
import { effect } from "@preact/signals";
import { render } from "preact";
import { readConfig } from "./config";
import { App } from "./shell/App";
import { pairOf, runOf } from "./lib/urlstate";
import { IrText, StagesTree, TextView } from "./panes/parts";
import { ADDRESS_BAR } from "./store/address";
import { keepDrafts } from "./store/drafts";
import { keepTheme } from "./store/preferences";
import { open } from "./store/running";
import { createRunView } from "./store/runview";

const config = readConfig();
const view = createRunView(ADDRESS_BAR);
const openAddress = () => {
  if (pairOf(location.pathname) !== null) return;
  view.notes.value = [];
  void open(view, runOf(location.pathname));
};
keepDrafts(view);
keepTheme();
addEventListener("popstate", openAddress);
openAddress();
// While the run is asked for, or waits for a worker: every run has stages and texts.
effect(() => {
  if (view.run.value === null && runOf(location.pathname) === null) return;
  for (const part of [StagesTree, IrText, TextView]) part.fetch();
});
effect(() => {
  document.title = [view.program.value?.name, "Fuselab"].filter(Boolean).join(" · ");
});
const page = document.getElementById("app")!;
const pair = pairOf(location.pathname);
if (pair === null) render(<App config={config} view={view} />, page);
else void import("./compare/page").then(({ showTwo }) => showTwo(pair, page));
