/** Which of the leader's machines is followed: that at which somebody went somewhere last. What another of
 * them comes to by itself, as after a reload or when its run has ended, takes nobody away from there. */
import { computed, effect } from "@preact/signals";
import { room } from "./attending";

const ACTS = ["pointerdown", "keydown", "wheel"] as const;

/** Whether who follows sees another machine than this one. */
export const isOthers = computed(() => {
  const { front = 0, you, seats = [] } = room.value ?? {};
  return front !== you && seats.some(({ id, leads, here }) => leads && here && id === front);
});

let hasActed = true;

/** Whether a change of what this page shows is its person's will. */
export const isMeant = (): boolean => !isOthers.peek() || hasActed;

/** Watches for what its person does, until the returned function is called. */
export function watchActs(): () => void {
  const act = () => void (hasActed = true);
  const end = effect(() => {
    if (isOthers.value) hasActed = false;
  });
  // Who came here by a link went somewhere; who loaded the page again did not.
  if (navigation() !== "reload") act();
  for (const name of ACTS) document.addEventListener(name, act, LISTEN);
  return () => {
    end();
    for (const name of ACTS) document.removeEventListener(name, act, LISTEN);
  };
}

const LISTEN = { capture: true, passive: true } as const;

const navigation = (): string | undefined =>
  (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined)?.type;
