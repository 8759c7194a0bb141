/** A button and what it opens: walked with the arrow keys, closed by Escape or by leaving it. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../panes/Icon";

interface Props {
  /** What stands on the button. */
  label: string;
  /** What a screen reader calls what it opens. */
  name: string;
  class: string;
  /** The items, of a role that begins with "menuitem". */
  children: (close: () => void) => ComponentChildren;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 };

export function Menu({ label, name, class: looks, children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const items = () => [...root.current!.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const close = (refocus: boolean) => {
    setOpen(false);
    if (refocus) root.current?.querySelector("button")?.focus();
  };
  const toggle = () => {
    setOpen(!open);
    if (!open) requestAnimationFrame(() => items()[0]?.focus());
  };
  const pressed = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === "Escape" && open) close(true);
    else if (step === undefined || !open) return;
    else walk(items(), step);
    event.preventDefault();
  };
  const left = (event: FocusEvent) => {
    if (!root.current?.contains(event.relatedTarget as Node | null)) setOpen(false);
  };
  return (
    <div class="menu" ref={root} onKeyDown={pressed} onFocusOut={left}>
      <button class={looks} aria-haspopup="menu" aria-expanded={open} onClick={toggle}>
        {label} <Icon name="down" />
      </button>
      {open && (
        <div class="menu-items" role="menu" aria-label={name}>
          {children(() => close(false))}
        </div>
      )}
    </div>
  );
}

function walk(items: readonly HTMLElement[], step: number): void {
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[Math.min(items.length - 1, Math.max(0, at + step))]?.focus();
}
