/** A pane that is wider for a while than it was: what it gives back, and to whom. */
import type { DockviewApi } from "dockview";

/** Its share of the dock before and since. */
export interface Widened {
  pane: string;
  had: number;
  has: number;
}

/** Shares of a dock's width that are the same but for whole pixels. */
const NEAR = 0.01;

export class Widening {
  /** What is to be given back. It is kept with the layout that it is of: pages of one browser have one
   * layout, that of whichever changed its own last. */
  now: Widened | null = null;

  constructor(private readonly dock: DockviewApi) {}

  /** Widens a pane that is narrower; the returned function gives its share of the dock back. */
  widen(pane: string, width: number): () => void {
    const had = this.shareOf(pane);
    const has = Math.min(width / this.dock.width, 0.5);
    if (!(had < has)) return () => {};
    this.now = { pane, had, has };
    this.setShare(pane, has);
    return () => this.narrow();
  }

  /** Gives back what a pane was widened by, unless a border was moved meanwhile. */
  narrow(): void {
    const { now } = this;
    this.now = null;
    if (now && Math.abs(this.shareOf(now.pane) - now.has) < NEAR) this.setShare(now.pane, now.had);
  }

  private shareOf(pane: string): number {
    return (this.dock.getPanel(pane)?.group.width ?? 0) / this.dock.width;
  }

  private setShare(pane: string, share: number): void {
    const width = Math.round(share * this.dock.width);
    this.dock.getPanel(pane)?.group.api.setSize({ width });
  }
}
