/** A bar to scroll a column sideways by, in sight however far down the columns are scrolled: a column
 * is as high as its text, and its own bar would be at the end of that. */
import type { EditorView } from "@codemirror/view";

export class SidewaysBar {
  readonly dom = document.createElement("div");
  private readonly room = document.createElement("div");
  private readonly sized = new ResizeObserver(() => this.measure());

  constructor(private readonly view: EditorView) {
    const { dom, room } = this;
    const { scrollDOM, contentDOM } = view;
    dom.className = "text-sideways";
    // The text itself is scrolled by keys.
    dom.setAttribute("aria-hidden", "true");
    dom.append(room);
    dom.addEventListener("scroll", () => (scrollDOM.scrollLeft = dom.scrollLeft));
    scrollDOM.addEventListener("scroll", () => (dom.scrollLeft = scrollDOM.scrollLeft));
    this.sized.observe(contentDOM);
    this.sized.observe(scrollDOM);
  }

  private measure(): void {
    this.room.style.width = `${this.view.scrollDOM.scrollWidth}px`;
  }

  destroy(): void {
    this.sized.disconnect();
  }
}
