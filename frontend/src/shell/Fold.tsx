/** A bar of which a low or narrow screen shows the first lines, and the rest when that is asked for. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panes/Icon";

export function Fold({ of, children }: { of: string; children: ComponentChildren }) {
  const content = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    // Those that there are now: a bar that has gone is told of once more.
    const inside = content.current!;
    const outside = inside.parentElement!;
    const sized = new ResizeObserver(() => setCut(isHigher(inside, outside)));
    sized.observe(inside);
    sized.observe(outside);
    return () => sized.disconnect();
  }, []);
  return (
    <>
      <div class={open ? "fold open" : isCut ? "fold cut" : "fold"}>
        <div class="folded" ref={content}>
          {children}
        </div>
      </div>
      {(isCut || open) && (
        <button class="quiet unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? "up" : "down"} /> {open ? "Less" : `All of the ${of}`}
        </button>
      )}
    </>
  );
}

/** By more than what rounding makes of a line. */
const isHigher = (inside: HTMLElement, outside: HTMLElement): boolean =>
  inside.scrollHeight > outside.clientHeight + 2;
