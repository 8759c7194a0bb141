/** The stage list: streams in, dims what changed nothing, and is walked with the arrow keys. */
import { useEffect, useRef } from "preact/hooks";
import { milliseconds } from "../lib/format";
import { isQuiet, moved, rows, type Row } from "../lib/stages";
import { chooseStage, showStage } from "../store/choosing";
import { useRunView } from "../store/context";
import { Icon } from "./Icon";
import { Delta } from "./Delta";
import { Empty } from "./Empty";

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
  const { stages, stageIndex, hideUnchanged, program, progress } = view;
  const id = `${view.prefix}-stage`;
  const list = rows(stages.value, hideUnchanged.value);
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
        {list.map((row) => (
          <StageRow key={row.index} row={row} id={`${id}-${row.index}`} />
        ))}
      </ul>
      <Running />
    </div>
  );
}

function Head() {
  const { stages, hideUnchanged } = useRunView();
  const quiet = stages.value.filter(isQuiet).length;
  const total = stages.value.reduce((sum, stage) => sum + stage.ms, 0);
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
      <span class="stage-summary">{stage.summary}</span>
      <Delta stage={stage} />
      <span class="number">{milliseconds(stage.ms)}</span>
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
