/** What is looked at on a page: the pane that was gone to last, and how far it is scrolled. Told of the
 * leader's, and shown on those of whoever follows. */
import { effect, signal } from "@preact/signals";
import type { Sight } from "../../lib/sight";
import { kindOf } from "../../panes/instance";
import { PHONE } from "../../store/useMedia";
import { chooseText } from "../../store/choosing";
import type { RunView } from "../../store/runview";
import { textIn, topLine, toTop } from "../../text/top";

/** Null until a pane was gone to. */
export const sight = signal<Sight | null>(null);

// What brings a person to a pane, and moves it; scrolling alone also comes of what is lit.
const TOUCHES = ["pointerdown", "wheel", "keydown", "touchmove"] as const;
// A text that is on its way is looked for as often and as long as this, and is to stay so often.
const EVERY_MS = 100;
const TRIES = 150;
const STEADY = 5;

/** Keeps `sight` until the returned function is called. */
export function watchSight(view: RunView): () => void {
  let touched: string | null = null;
  const isPhone = matchMedia(PHONE);
  const note = (pane: string | null) => {
    touched = pane;
    if (pane !== null) sight.value = sightOf(view, pane);
  };
  const touch = ({ target }: Event) => {
    const pane = paneAround(target);
    if (pane !== null && pane !== touched) note(pane);
  };
  const scroll = ({ target }: Event) => {
    if (touched !== null && paneAround(target) === touched) note(touched);
  };
  const went = effect(() => {
    const pane = isPhone.matches ? view.navigation.active.value : view.navigation.front.value;
    // What it shows comes with the next drawing.
    requestAnimationFrame(() => requestAnimationFrame(() => note(pane)));
  });
  for (const name of TOUCHES) document.addEventListener(name, touch, PASSIVE);
  document.addEventListener("scroll", scroll, PASSIVE);
  return () => {
    went();
    for (const name of TOUCHES) document.removeEventListener(name, touch, PASSIVE);
    document.removeEventListener("scroll", scroll, PASSIVE);
    sight.value = null;
  };
}

const PASSIVE = { capture: true, passive: true } as const;

const paneAround = (target: EventTarget | null): string | null =>
  (target instanceof Element && target.closest<HTMLElement>("[data-pane]")?.dataset.pane) || null;

const elementOf = (pane: string) => document.querySelector<HTMLElement>(`[data-pane="${pane}"]`);

function sightOf(view: RunView, pane: string): Sight {
  const element = elementOf(pane);
  const text = view.chosenTexts.peek()[pane]?.key ?? null;
  return { pane: kindOf(pane), top: element && topOf(element), text };
}

function topOf(element: HTMLElement): Sight["top"] {
  const shown = textIn(element);
  if (shown) return { line: topLine(shown.view, shown.scroller) };
  const scroller = scrollerIn(element);
  return (
    scroller && { share: scroller.scrollTop / (scroller.scrollHeight - scroller.clientHeight) }
  );
}

/** What can be scrolled in an element that has no text. */
const scrollerIn = (element: HTMLElement): HTMLElement | null =>
  [element, ...element.querySelectorAll<HTMLElement>("div, section, ul")].find(
    (each) =>
      each.scrollHeight > each.clientHeight + 1 && SCROLLS.has(getComputedStyle(each).overflowY),
  ) ?? null;

const SCROLLS = new Set(["auto", "scroll"]);

let shown: Sight | null = null;

/** What was shown before is looked for again. */
export const lookAnew = (): void => void (shown = null);

/** Shows what somebody else looks at, as soon as it is there. */
export function look(view: RunView, there: Sight): void {
  const isAnother = shown?.pane !== there.pane;
  shown = there;
  if (isAnother) view.navigation.show(there.pane);
  if (there.text !== null && view.chosenTexts.peek()[there.pane]?.key !== there.text)
    chooseText(view, there.pane, there.text);
  if (there.top) bring(there, there.top);
}

/** Scrolls until the text is here and stays where it is to be; whoever touches it has their way. */
function bring(there: Sight, top: NonNullable<Sight["top"]>): void {
  let tries = 0;
  let steady = 0;
  const end = () => {
    clearInterval(timer);
    for (const name of TOUCHES) document.removeEventListener(name, end, PASSIVE);
  };
  const timer = setInterval(() => {
    steady = moved(there.pane, top) ? 0 : steady + 1;
    tries += 1;
    if (tries > TRIES || steady > STEADY || shown !== there) end();
  }, EVERY_MS);
  for (const name of TOUCHES) document.addEventListener(name, end, PASSIVE);
  moved(there.pane, top);
}

/** Scrolls a pane; whether it was to be moved, or has nothing yet. */
function moved(pane: string, top: NonNullable<Sight["top"]>): boolean {
  const element = elementOf(pane);
  const text = element && textIn(element);
  const scroller = text?.scroller ?? (element && scrollerIn(element));
  if (!scroller || (text && "line" in top && text.view.state.doc.lines < top.line)) return true;
  const before = scroller.scrollTop;
  if (!("line" in top))
    scroller.scrollTop = top.share * (scroller.scrollHeight - scroller.clientHeight);
  else if (text && topLine(text.view, scroller) !== top.line) toTop(text.view, scroller, top.line);
  return Math.abs(scroller.scrollTop - before) > 1;
}
