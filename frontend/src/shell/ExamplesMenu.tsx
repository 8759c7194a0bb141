/** The menu of examples. Choosing one puts it in the editor; running it is another step. */
import { useRef, useState } from "preact/hooks";
import type { Example } from "../net/api";
import { useRunView } from "../store/context";
import { edit } from "../store/running";
import type { RunView } from "../store/runview";
import { Icon } from "../panes/Icon";

const FRAMEWORKS = { torch: "PyTorch", jax: "JAX" } as const;

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 };

export function ExamplesMenu({ examples }: { examples: readonly Example[] }) {
  const view = useRunView();
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const items = () => [...root.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
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
      <button class="bar-button" aria-haspopup="menu" aria-expanded={open} onClick={toggle}>
        Examples <Icon name="down" />
      </button>
      {open && (
        <div class="menu-items" role="menu" aria-label="Examples">
          {(["torch", "jax"] as const).map((framework) => (
            <div key={framework} role="group" aria-label={FRAMEWORKS[framework]}>
              <div class="menu-head" aria-hidden="true">
                {FRAMEWORKS[framework]}
              </div>
              {examples
                .filter((example) => example.framework === framework)
                .map((example) => (
                  <button
                    key={example.name}
                    role="menuitem"
                    tabIndex={-1}
                    onClick={() => (take(view, example), close(false))}
                  >
                    {example.title}
                  </button>
                ))}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function take(view: RunView, example: Example): void {
  edit(view, example.source);
  view.navigation.show("source");
}

function walk(items: readonly HTMLElement[], step: number): void {
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[Math.min(items.length - 1, Math.max(0, at + step))]?.focus();
}
