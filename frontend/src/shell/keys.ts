/** Keys that work everywhere, in one table with what the help sheet says of them. */
import { useEffect } from "preact/hooks";
import { select, stepGraph, stepStage } from "../store/choosing";
import { helpOpen, panesGoneTo } from "../store/page";
import { cancel, start } from "../store/running";
import type { RunView } from "../store/runview";

interface Shortcut {
  keys: string;
  does: string;
  /** Missing where the element in focus handles the key itself. */
  when?: (event: KeyboardEvent) => boolean;
  act?: (view: RunView) => void;
  /** Whether it goes to the panes, wherever its person was, and leaves the focus there. */
  goes?: true;
}

const control = (event: KeyboardEvent) => event.ctrlKey || event.metaKey;

const plain = (key: string) => (event: KeyboardEvent) =>
  event.key === key && !control(event) && !event.altKey && !writing(event.target);

export const SHORTCUTS: readonly Shortcut[] = [
  {
    keys: "Ctrl Enter",
    does: "Run",
    when: (e) => control(e) && e.key === "Enter",
    act: (view) => void start(view),
  },
  {
    keys: "Ctrl .",
    does: "Cancel",
    when: (e) => control(e) && e.key === ".",
    act: (view) => void cancel(view),
  },
  {
    keys: "F6",
    does: "Next pane",
    when: (e) => e.key === "F6" && !e.shiftKey,
    act: () => focusPane(1),
  },
  {
    keys: "Shift F6",
    does: "Previous pane",
    when: (e) => e.key === "F6" && e.shiftKey,
    act: () => focusPane(-1),
  },
  {
    keys: "]",
    does: "Next stage",
    when: plain("]"),
    act: (view) => stepStage(view, 1),
    goes: true,
  },
  {
    keys: "[",
    does: "Previous stage",
    when: plain("["),
    act: (view) => stepStage(view, -1),
    goes: true,
  },
  {
    keys: "}",
    does: "Next graph",
    when: plain("}"),
    act: (view) => stepGraph(view, 1),
    goes: true,
  },
  {
    keys: "{",
    does: "Previous graph",
    when: plain("{"),
    act: (view) => stepGraph(view, -1),
    goes: true,
  },
  { keys: "↑ ↓", does: "Choose a line, a stage of the list, or a row of a table" },
  { keys: "Alt click", does: "All lines of the captured operation, not of one value" },
  { keys: "← →", does: "Hide or show what is below a stage" },
  { keys: "E", does: "Next edge at a box of the fusion graph" },
  { keys: "X", does: "Close the box's kernel, or open it" },
  { keys: "Shift X", does: "Close the frame around it, or open it" },
  {
    keys: "W",
    does: "Why",
    when: plain("w"),
    act: (view) => view.navigation.show("why"),
    goes: true,
  },
  {
    keys: "Esc",
    does: "Nothing chosen",
    when: (e) => e.key === "Escape",
    act: (view) => select(view, new Set(), ""),
  },
  { keys: "F8", does: "In a workshop: follow the leader, or go your own way" },
  { keys: "Ctrl F", does: "Search in the text" },
  { keys: "Esc Tab", does: "Leave the editor" },
  { keys: "Shift Alt F", does: "Format the text" },
  { keys: "Ctrl Space", does: "What may be written here" },
  { keys: "?", does: "This sheet", when: plain("?"), act: () => (helpOpen.value = true) },
];

/** `view` is the run that the keys are for. */
export function useKeys(view: RunView): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => react(view, event);
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [view]);
}

function react(view: RunView, event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const found = SHORTCUTS.find(({ when }) => when?.(event));
  if (!found?.act) return;
  if (event.key !== "Escape") event.preventDefault();
  found.act(view);
  if (found.goes) panesGoneTo.value += 1;
}

/** A box that is ticked takes no letters. */
const FIELDS = "input:not([type=checkbox], [type=radio]), select, textarea";

/** Whether what has the focus takes letters. */
export const writing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches(FIELDS));

/** Moves the focus to the next pane on the screen, or the one before; after the last to what lies beside
 * them, as the deck of a workshop. */
function focusPane(step: number): void {
  const panes = ["[data-pane]", "[data-stop]"]
    .flatMap((each) => [...document.querySelectorAll<HTMLElement>(each)])
    .filter((pane) => pane.getClientRects().length > 0);
  if (panes.length === 0) return;
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + step + panes.length) % panes.length];
  const inside = next?.querySelector<HTMLElement>(
    ".cm-content, [tabindex='0'], button:enabled, select, input",
  );
  (inside ?? next)?.focus();
}
