/** A bar of which a low or narrow screen shows the first lines, and the rest when that is asked for,
 * or when what is chosen in it, or reached by keyboard, would not be seen. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panes/Icon";

export function Fold({ of, children }: { of: string; children: ComponentChildren }) {
  const content = useRef<HTMLDivElement>(null);
  const [cut, setCut] = useState<number | null>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    // Those that there are now: a bar that has gone is told of once more.
    const inside = content.current!;
    const outside = inside.parentElement!;
    const sized = new ResizeObserver(() => setCut(cutOf(inside, outside)));
    // What a link chose: the bar is there with it.
    const chosen = inside.querySelector('[aria-pressed="true"]');
    setOpen(chosen !== null && isBelow(chosen, inside, cutOf(inside, outside)));
    sized.observe(inside);
    sized.observe(outside);
    return () => sized.disconnect();
  }, []);
  const reveal = ({ target }: FocusEvent) => {
    const reached = target as Element;
    // By keyboard: under a finger nothing moves.
    const isKey = reached.matches(":focus-visible");
    if (isKey && isBelow(reached, content.current!, cut)) setOpen(true);
  };
  return (
    <>
      <div
        class={open ? "fold open" : cut !== null ? "fold cut" : "fold"}
        style={{ "--cut": `${cut ?? 0}px` }}
      >
        <div class="folded" ref={content} onFocusCapture={reveal}>
          {children}
        </div>
      </div>
      {(cut !== null || open) && (
        <button class="quiet unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? "up" : "down"} /> {open ? "Less" : `All of the ${of}`}
        </button>
      )}
    </>
  );
}

/** Below which line it is cut, in pixels; null where all of it is seen, but for what rounding makes
 * of a line. */
function cutOf(inside: HTMLElement, outside: HTMLElement): number | null {
  const height = outside.clientHeight;
  if (inside.scrollHeight <= height + 2) return null;
  const { top } = outside.getBoundingClientRect();
  const boxes = [...inside.querySelectorAll("*")]
    .filter((each) => each.childElementCount === 0 || each.matches("button") || hasText(each))
    .map((each) => each.getBoundingClientRect());
  let cut = height;
  // What is in one line need not begin at one height.
  for (;;) {
    const across = boxes.filter((box) => box.top - top < cut && box.bottom - top > cut);
    if (across.length === 0) return cut;
    cut = Math.min(...across.map((box) => box.top - top));
  }
}

/** Whether something lies below the line at which the bar is cut. */
const isBelow = (element: Element, inside: HTMLElement, cut: number | null): boolean =>
  cut !== null &&
  element.getBoundingClientRect().bottom - inside.getBoundingClientRect().top > cut + 1;

/** A text beside an icon may take two lines, where the icon takes one. */
const hasText = (element: Element): boolean =>
  [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== "");
