/**
 * A tab that the arrow keys come to is shown: Dockview's wait for Enter. And none is closed by Delete,
 * for nothing on the page would bring it back.
 */

const CLOSES = ["Delete", "Backspace"];
const MOVES = ["ArrowLeft", "ArrowRight", "Home", "End"];

export function chosenByArrows(host: HTMLElement): void {
  const kept = (event: KeyboardEvent) => {
    if (CLOSES.includes(event.key) && document.activeElement?.role === "tab")
      event.stopPropagation();
  };
  host.addEventListener("keydown", kept, { capture: true });
  host.addEventListener("keydown", ({ key }) => {
    // Its own keys are heard before: the focus has moved.
    const tab = document.activeElement;
    if (!MOVES.includes(key) || tab?.role !== "tab" || tab.ariaSelected === "true") return;
    tab.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    (tab as HTMLElement).focus();
  });
}
