/** The page's entry. */
import "./styles";
import { effect } from "@preact/signals";
import { render } from "preact";
import { readConfig } from "./config";
import { App } from "./shell/App";
import { runOf } from "./lib/urlstate";
import { ADDRESS_BAR } from "./store/address";
import { examples, loadExamples } from "./store/page";
import { draft, remember } from "./store/preferences";
import { edit, open } from "./store/running";
import { createRunView } from "./store/runview";

const config = readConfig();
const view = createRunView(ADDRESS_BAR);
const openAddress = () => void open(view, runOf(location.pathname));
const kept = draft();
if (kept !== null) edit(view, kept);
remember(view);
addEventListener("popstate", openAddress);
openAddress();
void loadExamples().then((problem) => {
  if (problem !== null) view.complaint.value = problem;
  const [first] = examples.value;
  if (first && kept === null && view.source.value === "") edit(view, first.source);
});
effect(() => {
  document.title = [view.program.value?.name, "Fuselab"].filter(Boolean).join(" · ");
});
render(<App config={config} view={view} />, document.getElementById("app")!);
