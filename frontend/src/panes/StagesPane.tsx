/** The stage list: streams in, dims what changed nothing, and is walked with the arrow keys. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { milliseconds } from "../lib/format";
import { groupsOf, isQuiet, moved, type Row } from "../lib/stages";
import { chooseStage, showStage } from "../store/choosing";
import { useRunView } from "../store/context";
import { Icon } from "./Icon";
import { Delta } from "./Delta";
import { Empty } from "./Empty";
import { PlanSwitch } from "./PlanSwitch";
import { PlanTag } from "./Tags";

const KEYS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
  End: 1e6,
  Home: -1e6,
};

const ICONS = { ok: "check", failed: "cross", skipped: "dash" } as const;

export function StagesPane() {
  const view = useRunView();
  const { stageIndex, program, progress } = view;
  const id = `${view.prefix}-stage`;
  const list = view.rows.value;
  const list_ = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list_.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [stageIndex.value, list.length]);
  if (!program.value && !progress.value) return <Empty pane="stages" />;
  const walk = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    chooseStage(view, moved(list, stageIndex.value, step));
  };
  const item = (row: Row) => <StageRow key={row.index} row={row} id={`${id}-${row.index}`} />;
  return (
    <div class="pane">
      <Head />
      <ul
        class="stages"
        role="listbox"
        tabIndex={0}
        ref={list_}
        aria-label="Stages"
        aria-activedescendant={`${id}-${stageIndex.value}`}
        onKeyDown={walk}
      >
        {groupsOf(list).map((group, index, { length }) =>
          length === 1 ? (
            group.map(item)
          ) : (
            <Group key={index} graph={group[0]!.stage.graph}>
              {group.map(item)}
            </Group>
          ),
        )}
      </ul>
      <Running />
    </div>
  );
}

/** The stages of one graph that come one after the other, under the graph's name. */
function Group({ graph, children }: { graph: string; children: ComponentChildren }) {
  const { program } = useRunView();
  const found = program.value?.graphs.find(({ id }) => id === graph);
  const name = found?.parent == null ? "whole program" : found.name || found.role;
  return (
    <li role="group" aria-label={name}>
      <div class="stage-group" aria-hidden="true">
        {name}
      </div>
      <ul role="presentation">{children}</ul>
    </li>
  );
}

function Head() {
  const { stages, hideUnchanged, isStageOfPlan } = useRunView();
  const shown = stages.value.filter(isStageOfPlan.value);
  const quiet = shown.filter(isQuiet).length;
  const total = shown.reduce((sum, stage) => sum + stage.ms, 0);
  return (
    <div class="pane-head">
      <label class="check">
        <input
          type="checkbox"
          checked={hideUnchanged.value}
          onChange={(event) => (hideUnchanged.value = event.currentTarget.checked)}
        />
        Hide unchanged ({quiet})
      </label>
      <span class="spacer" />
      <PlanSwitch />
      <span class="number faint">{milliseconds(total)}</span>
    </div>
  );
}

function StageRow({ row: { index, stage, dimmed }, id }: { row: Row; id: string }) {
  const view = useRunView();
  return (
    <li
      id={id}
      role="option"
      class={dimmed ? "stage dimmed" : "stage"}
      aria-selected={index === view.stageIndex.value}
      data-status={stage.status}
      onClick={() => showStage(view, index)}
    >
      <Icon name={ICONS[stage.status]} label={stage.status} />
      <span class="stage-name">{stage.name}</span>
      <PlanTag of={stage} />
      <span class="stage-summary">{stage.summary}</span>
      <Delta stage={stage} />
      <span class="number">{stage.ms > 0 && milliseconds(stage.ms)}</span>
    </li>
  );
}

function Running() {
  const { progress, programIndex } = useRunView();
  const now = progress.value;
  if (!now || now.program !== programIndex.value) return null;
  return (
    <div class="stage running">
      <Icon name="dot" />
      <span class="stage-name">{now.name}</span>
      <span class="stage-summary">{now.detail}</span>
      {now.fraction !== null && <progress max={1} value={now.fraction} aria-label={now.name} />}
    </div>
  );
}
