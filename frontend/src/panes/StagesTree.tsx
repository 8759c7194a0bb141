/**
 * The stage list: streams in, dims what changed nothing. The core's own stages stand as they are, those
 * of other compilers below their headings; it is walked with the arrow keys.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { milliseconds } from "../lib/format";
import { groupsOf, isQuiet } from "../lib/stages";
import { countsOf, ownRow, visible, type TreeRow } from "../lib/tree";
import { setOpen, showStage, stepStage, walkTo } from "../store/choosing";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import { Icon } from "./Icon";
import { Delta } from "./Delta";
import { PlanSwitch } from "./PlanSwitch";
import { memo } from "./memo";
import { GraphTag, PlanTag } from "./Tags";

const KEYS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
  End: 1e6,
  Home: -1e6,
};

const ICONS = { ok: "check", failed: "cross", skipped: "dash" } as const;

export function StagesTree() {
  const view = useRunView();
  const list = view.list.rows.value;
  const active = view.list.active.value;
  const list_ = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list_.current?.querySelector(".active")?.scrollIntoView({ block: "nearest" });
  }, [active, list.length]);
  const open = view.list.open.value;
  const before = useRef(open);
  useEffect(() => {
    const opened = view.list.shownTree.value.findLast(
      ({ key }) => open.has(key) && !before.current.has(key),
    );
    before.current = open;
    if (opened) showBelow(view, opened);
  }, [open]);
  const walk = (event: KeyboardEvent) => {
    if (react(view, event.key)) event.preventDefault();
  };
  const item = (row: TreeRow) => {
    const isActive = row.key === active;
    const isChosen = row.index === null ? isActive : row.index === view.stageIndex.value;
    const marks = { isActive, isChosen, isOpen: open.has(row.key) };
    return <StageRow key={row.key} row={row} {...marks} />;
  };
  return (
    <div class="pane">
      <Head />
      <ul
        class="stages"
        role="tree"
        tabIndex={0}
        ref={list_}
        aria-label="Stages"
        aria-activedescendant={idOf(view, active)}
        onKeyDown={walk}
      >
        {groupsOf(list).map((group, index, { length }) =>
          length === 1 ? (
            group.map((row) => item(ownRow(row)))
          ) : (
            <Group key={index} graph={group[0]!.stage.graph}>
              {group.map((row) => item(ownRow(row)))}
            </Group>
          ),
        )}
        {view.list.shownTree.value.map(item)}
      </ul>
      <Running />
    </div>
  );
}

/** Brings what is below a row into sight, as far as the row itself stays there, and what is chosen. */
function showBelow(view: RunView, row: TreeRow): void {
  const { list } = view;
  const keys = visible([row], list.open.value).map(({ key }) => key);
  for (const key of [keys.at(-1)!, row.key, ...keys.filter((key) => key === list.active.value)])
    document.getElementById(idOf(view, key))?.scrollIntoView({ block: "nearest" });
}

/** What a key does at the row that the arrow keys are at; false where it does nothing. */
function react(view: RunView, key: string): boolean {
  const step = KEYS[key];
  if (step !== undefined) stepStage(view, step);
  const rows = view.list.walk.value;
  const at = rows.findIndex((row) => row.key === view.list.active.value);
  const row = rows[at];
  if (!row || step !== undefined) return step !== undefined;
  const isOpen = view.list.open.value.has(row.key);
  const above = rows.slice(0, at).findLast(({ level }) => level < row.level);
  if (key === "ArrowRight" && row.children.length > 0) {
    if (isOpen) walkTo(view, row.children[0]!);
    else setOpen(view, row, true);
  } else if (key === "ArrowLeft" && isOpen) setOpen(view, row, false);
  else if (key === "ArrowLeft" && above) walkTo(view, above);
  else if (key === "Enter" || key === " ") choose(view, row);
  else return false;
  return true;
}

/** Shows what the row's stage made; what has no stage shows what is below it. */
function choose(view: RunView, row: TreeRow): void {
  const isOpen = view.list.open.value.has(row.key);
  if (row.children.length > 0) setOpen(view, row, row.stage?.artifacts.length ? true : !isOpen);
  if (row.index !== null) showStage(view, row.index);
  view.list.walked.value = row.key;
}

/** The stages of one graph that come one after the other, under the graph's name. */
function Group({ graph, children }: { graph: string; children: ComponentChildren }) {
  const { program } = useRunView();
  const found = program.value?.graphs.find(({ id }) => id === graph);
  const name = found?.parent == null ? "whole program" : found.name || found.role;
  return (
    <li role="presentation">
      <div class="stage-group" aria-hidden="true">
        {name}
      </div>
      <ul role="group" aria-label={name}>
        {children}
      </ul>
    </li>
  );
}

function Head() {
  const { stages, list, isStageOfPlan } = useRunView();
  const { hideUnchanged } = list;
  const shown = stages.value.filter(isStageOfPlan.value);
  const quiet = shown.filter(isQuiet).length;
  const total = shown.reduce((sum, stage) => sum + stage.ms, 0);
  return (
    <div class="pane-head wraps stages-head">
      {(quiet > 0 || hideUnchanged.value) && (
        <label class="check">
          <input
            type="checkbox"
            checked={hideUnchanged.value}
            onChange={(event) => (hideUnchanged.value = event.currentTarget.checked)}
          />
          Hide unchanged ({quiet})
        </label>
      )}
      <span class="spacer" />
      <PlanSwitch />
      <span class="number faint">{milliseconds(total)}</span>
    </div>
  );
}

const idOf = ({ prefix }: RunView, key: string): string =>
  `${prefix}-stage-${key.replace(/[^\w#-]/g, "_")}`;

interface RowProps {
  row: TreeRow;
  isActive: boolean;
  isChosen: boolean;
  isOpen: boolean;
}

/** Of a large program there are hundreds, and each new stage would draw all of them. */
const StageRow = memo(({ row, isActive, isChosen, isOpen }: RowProps) => {
  const view = useRunView();
  const { key, stage, level, dimmed, children } = row;
  return (
    <li
      id={idOf(view, key)}
      role="treeitem"
      class={["stage", dimmed && "dimmed", isActive && "active"].filter(Boolean).join(" ")}
      style={level > 1 ? { paddingLeft: `${8 + 16 * (level - 1)}px` } : undefined}
      aria-level={level}
      aria-expanded={children.length > 0 ? isOpen : undefined}
      aria-selected={isChosen}
      data-status={stage?.status ?? "ok"}
      data-kind={stage?.kind}
      onClick={() => choose(view, row)}
    >
      {children.length > 0 && <Twisty row={row} open={isOpen} />}
      {(children.length === 0 || stage?.status === "failed") && stage && (
        <Icon name={ICONS[stage.status]} label={stage.status} />
      )}
      <Name row={row} />
      {stage && <PlanTag of={stage} />}
      {stage && <Delta stage={stage} />}
      <span class="number">{stage !== null && stage.ms > 0 && milliseconds(stage.ms)}</span>
    </li>
  );
});

/** What a pass did, in so few words that it stands beside the pass's name. */
const shortened = ({ stage }: TreeRow, summary: string): string =>
  stage?.kind === "pass" ? summary.replace(/ operations$/, " ops") : summary;

/** A row's title; of another compiler's row what is below it, and of which graph it is. */
function Name({ row }: { row: TreeRow }) {
  const { title, stage, children, level } = row;
  const own = level === 1 && stage?.status === "ok" ? "" : (stage?.summary ?? "");
  const summary = children.length === 0 ? (stage?.summary ?? "") : own;
  return (
    <span class="stage-text">
      <span class={level === 1 && children.length > 0 ? "stage-name heading" : "stage-name"}>
        {title}
      </span>
      {row.ofOtherGraph && stage && <GraphTag of={stage} unless={title} />}
      <span class="stage-summary" title={summary}>
        {[children.length > 0 && countsOf(row), shortened(row, summary)]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </span>
  );
}

function Twisty({ row, open }: { row: TreeRow; open: boolean }) {
  const view = useRunView();
  const toggle = (event: Event) => {
    event.stopPropagation();
    setOpen(view, row, !open);
  };
  return (
    <span class="twisty" aria-hidden="true" onClick={toggle}>
      <Icon name={open ? "down" : "right"} />
    </span>
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
