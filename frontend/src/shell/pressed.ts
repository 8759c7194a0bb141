/**
 * The panes stay where they are while something in them is pressed. A run that begins or ends takes bars
 * around them away, or brings them: the end of the press would be beside what it began on, and that is no
 * click.
 */
import { useEffect } from "preact/hooks";

const PANES = ".dock, .phone";
const CAPTURE = { capture: true } as const;
const ENDS = ["pointerup", "pointercancel"] as const;
// A finger's click comes after it is up.
const AFTER_MS = 100;

export function useStillWhilePressed(): void {
  useEffect(() => {
    let holding: HTMLElement | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let release = () => {};
    const press = ({ target }: PointerEvent) => {
      clearTimeout(timer);
      const panes = target instanceof Element ? target.closest<HTMLElement>(PANES) : null;
      if (panes === holding) return;
      release();
      holding = panes;
      release = panes ? hold(panes) : () => {};
    };
    const end = () => {
      timer = setTimeout(() => {
        release();
        holding = null;
      }, AFTER_MS);
    };
    document.addEventListener("pointerdown", press, CAPTURE);
    for (const name of ENDS) document.addEventListener(name, end, CAPTURE);
    return () => {
      clearTimeout(timer);
      release();
      document.removeEventListener("pointerdown", press, CAPTURE);
      for (const name of ENDS) document.removeEventListener(name, end, CAPTURE);
    };
  }, []);
}

/** Holds an element where it is, and has it grow no larger, until the returned function is called. */
function hold(panes: HTMLElement): () => void {
  const { top, height } = panes.getBoundingClientRect();
  let moved = 0;
  // At once, before another press or release is heard.
  const changes = new MutationObserver(() => {
    const now = panes.getBoundingClientRect();
    if (now.top === top && now.height <= height) return;
    moved += top - now.top;
    panes.style.marginTop = `${moved}px`;
    panes.style.maxHeight = `${height}px`;
  });
  changes.observe(document.body, { childList: true, subtree: true });
  return () => {
    changes.disconnect();
    panes.style.marginTop = "";
    panes.style.maxHeight = "";
  };
}
