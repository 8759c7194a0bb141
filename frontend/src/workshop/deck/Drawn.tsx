/** The run of a block, drawn in the page by the parts that the panes have: how far it is, what is wrong,
 * and the pane or the plot to look at. */
import type { ComponentChildren } from "preact";
import { later } from "../../panes/later";
import { InstanceProvider } from "../../panes/instance";
import { Problems } from "../../panes/Problems";
import { VerdictStrip } from "../../panes/parts";
import { paneOf } from "../../panes/registry";
import type { Look } from "../../net/courses";
import { fetching } from "../../net/modules";
import { doing } from "../../shell/Status";
import { chooseProgram } from "../../store/choosing";
import { RunProvider, useRunView } from "../../store/context";
import type { RunView } from "../../store/runview";

const plots = fetching(() => import("./plots"));
const Plot = later("the plot", async () => (await plots()).Plot, "deck-coming");

interface Props {
  view: RunView;
  look: Look;
  /** Whether the verdict stands above the pane. */
  hasVerdict?: boolean;
  children: ComponentChildren;
}

export function Drawn({ view, look, hasVerdict = false, children }: Props) {
  const program = view.program.value;
  const isBare = look.pane + look.plot === "";
  return (
    <RunProvider value={view}>
      {/* Above what comes: nothing moves under the pointer. */}
      <div class="deck-acts">{children}</div>
      <State />
      <Problems />
      {view.run.value !== null && <Programs />}
      {program && (hasVerdict || isBare) && <VerdictStrip program={program} />}
      {view.run.value !== null && !isBare && <Looked look={look} />}
    </RunProvider>
  );
}

/** How far the run is, while it goes on. */
function State() {
  const view = useRunView();
  const run = view.run.value;
  const says = run && view.busy.value ? [run.state, doing(view, run)].filter(Boolean) : [];
  const isCancelled = run?.state === "cancelled";
  return (
    <p class="deck-state faint" role="status">
      {isCancelled ? "Cancelled: another run of yours took its place." : says.join(" · ")}
    </p>
  );
}

/** Which of several programs is looked at. */
function Programs() {
  const view = useRunView();
  const { programs } = view.report.value;
  if (programs.length < 2) return null;
  return (
    <div class="programs" role="group" aria-label={view.called("Programs")}>
      {programs.map(({ name }, index) => (
        <button
          key={index}
          class="program"
          aria-pressed={index === view.programIndex.value}
          onClick={() => chooseProgram(view, index)}
        >
          <code>{name}</code>
        </button>
      ))}
    </div>
  );
}

function Looked({ look }: { look: Look }) {
  const view = useRunView();
  if (look.plot !== "") {
    return (
      <div class="deck-drawn deck-plot" role="group" aria-label={view.called("A plot")}>
        <Plot name={look.plot} />
      </div>
    );
  }
  const pane = paneOf(look.pane);
  if (!pane) return <p class="faint">There is no pane "{look.pane}".</p>;
  return (
    <div class="deck-drawn" role="group" aria-label={view.called(pane.title)}>
      <InstanceProvider value={pane.id}>
        <pane.Component />
      </InstanceProvider>
    </div>
  );
}
