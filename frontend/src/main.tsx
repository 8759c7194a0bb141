/** The page's entry. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "dockview/dist/styles/dockview.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/menus.css";
import "./styles/panes.css";
import "./styles/stages.css";
import "./styles/tables.css";
import "./styles/source.css";
import "./styles/dock.css";
import "./styles/phone.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { readConfig } from "./config";
import { App } from "./shell/App";
import { edit, loadExamples, openAddress } from "./store/actions";
import { draft, remember } from "./store/preferences";
import { examples, program, source } from "./store/state";

const config = readConfig();
const kept = draft();
if (kept !== null) edit(kept);
remember();
addEventListener("popstate", () => void openAddress());
void openAddress();
void loadExamples().then(() => {
  const [first] = examples.value;
  if (first && kept === null && source.value === "") edit(first.source);
});
effect(() => {
  document.title = [program.value?.name, "Fuselab"].filter(Boolean).join(" · ");
});
render(<App config={config} />, document.getElementById("app")!);
