/** For tests only: the runs in `window.RUNS` beside each other, each in a view of its own. */
import "../styles";
import { render } from "preact";
import type { Run } from "../net/api";
import { Dock } from "../shell/Dock";
import { GraphBar } from "../shell/GraphBar";
import { ProgramBar } from "../shell/ProgramBar";
import { RunProvider } from "../store/context";
import { present } from "../store/running";
import { createRunView, type RunView } from "../store/runview";

declare global {
  interface Window {
    RUNS: Run[];
  }
}

function Side({ view }: { view: RunView }) {
  return (
    <RunProvider value={view}>
      <section class="workspace" style={{ minWidth: 0 }} data-run={view.run.value?.id}>
        <ProgramBar />
        <GraphBar />
        <Dock />
      </section>
    </RunProvider>
  );
}

const views = window.RUNS.map((run) => {
  const view = createRunView();
  present(view, run);
  return view;
});
render(
  <main style={{ display: "flex", flex: 1, minHeight: 0 }}>
    {views.map((view) => (
      <Side key={view.prefix} view={view} />
    ))}
  </main>,
  document.getElementById("app")!,
);
