/** The page of two runs, which is loaded only where its address asks for it. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { NOWHERE } from "../store/address";
import { open } from "../store/running";
import { createRunView } from "../store/runview";
import { ComparePage } from "./ComparePage";

export function showTwo([a, b]: readonly [string, string], page: HTMLElement): void {
  // Two runs are read here: what the next one is to have is chosen on a run's own page.
  const [left, right] = ["A", "B"].map((sign) => createRunView(NOWHERE, sign, true));
  const views = [left!, right!] as const;
  [views[0].beside, views[1].beside] = [views[1], views[0]];
  void open(views[0], a);
  void open(views[1], b);
  effect(() => {
    const names = views.map(({ program }) => program.value?.name ?? "");
    document.title = [[...new Set(names)].join(" | "), "Fuselab"].filter(Boolean).join(" · ");
  });
  render(<ComparePage ids={[a, b]} a={views[0]} b={views[1]} />, page);
}
