/** The IR before and after the chosen stage, and the rewrites that made the difference. */
import { useState } from "preact/hooks";
import { irAt, sidesOf, textsOf } from "../lib/artifacts";
import { isEnd, isInside, titleOf } from "../lib/compilers";
import { plural } from "../lib/format";
import { select, stepStage } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Rewrite, Stage } from "../wire";
import { Icon } from "./Icon";
import { PassButton } from "./Decide";
import { Delta } from "./Delta";
import { Empty } from "./Empty";
import { GraphTag } from "./Tags";
import { TextView } from "./parts";

const PANE = "ir";

export function IrText() {
  const { stage, stages, stageIndex } = useRunView();
  const current = stage.value;
  if (!current) return <Empty pane={PANE} />;
  const own = sidesOf(current);
  if (own === null && isInside(current)) return <Elsewhere stage={current} />;
  const after = own?.after ?? irAt(stages.value, stageIndex.value);
  if (!after && stages.value.some(sidesOf)) return <Before stage={current} />;
  if (!after) return <Empty pane={PANE} />;
  return (
    <div class="pane-stack">
      <TextView
        pane={PANE}
        label={`IR at ${current.name}`}
        after={after}
        place={current}
        before={own?.before ?? null}
      >
        <Head stage={current} unchanged={own === null} />
      </TextView>
      {current.rewrites.length > 0 && <Rewrites rewrites={current.rewrites} />}
    </div>
  );
}

/** A stage that comes before any IR, in a program whose graphs have theirs. */
function Before({ stage: { name, summary } }: { stage: Stage }) {
  return (
    <div class="pane">
      <div class="pane-head">
        <Steps />
        <span class="pane-name">{name}</span>
      </div>
      <div class="pane empty">
        <p>{summary}</p>
        <p class="faint">
          This stage comes before the IR: each graph has its own, at the next stages.
        </p>
      </div>
    </div>
  );
}

/** What a stage of another compiler made, where that is no text before and after. */
function Elsewhere({ stage }: { stage: Stage }) {
  const { navigation } = useRunView();
  const texts = textsOf(stage).length;
  const { tables, compiler, name, summary } = stage;
  return (
    <div class="pane">
      <div class="pane-head">
        <Steps />
        <span class="pane-name">{isEnd(stage) ? titleOf(compiler) : name}</span>
        <GraphTag of={stage} />
      </div>
      <div class="pane empty">
        <p>{summary || "This stage has no text before and after."}</p>
        <p>
          {texts > 0 && (
            <button onClick={() => navigation.show("reference")}>
              {plural(texts, "text")} in Reference
            </button>
          )}{" "}
          {tables.length > 0 && (
            <button onClick={() => navigation.show("tables")}>
              {plural(tables.length, "table")}
            </button>
          )}
        </p>
        {isEnd(stage) && <p class="faint">Its stages are in the list, below its name.</p>}
      </div>
    </div>
  );
}

function Steps() {
  const view = useRunView();
  return (
    <>
      <button
        class="quiet"
        title="Previous stage"
        aria-label="Previous stage"
        onClick={() => stepStage(view, -1)}
      >
        <Icon name="left" />
      </button>
      <button
        class="quiet"
        title="Next stage"
        aria-label="Next stage"
        onClick={() => stepStage(view, 1)}
      >
        <Icon name="right" />
      </button>
    </>
  );
}

function Head({ stage: current, unchanged }: { stage: Stage; unchanged: boolean }) {
  return (
    <>
      <Steps />
      <span class="pane-name">{current.name}</span>
      {current.compiler !== "" && <span class="tag">{titleOf(current.compiler)}</span>}
      <GraphTag of={current} />
      <Delta stage={current} />
      <PassButton stage={current} />
      {unchanged && <Unchanged />}
    </>
  );
}

const UNCHANGED = "no text of its own: the IR as it stands";

const Unchanged = () => (
  <span class="faint aside" title={UNCHANGED}>
    {UNCHANGED}
  </span>
);

/** Of a large program there are hundreds: they are drawn for whoever asks. */
function Rewrites({ rewrites }: { rewrites: readonly Rewrite[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="rewrites" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{plural(rewrites.length, "rewrite")}</summary>
      {isOpen && <RewriteList rewrites={rewrites} />}
    </details>
  );
}

function RewriteList({ rewrites }: { rewrites: readonly Rewrite[] }) {
  const view = useRunView();
  return (
    <ul>
      {rewrites.map((rewrite, index) => (
        <li key={index}>
          <button class="row" onClick={() => select(view, new Set(rewrite.nodes), "rewrites")}>
            <span class="rule">{rewrite.rule}</span>
            <code class="law">{rewrite.law}</code>
            <code>
              {rewrite.before} <span class="faint">→</span> {rewrite.after}
            </code>
          </button>
        </li>
      ))}
    </ul>
  );
}
