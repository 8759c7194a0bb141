/** Which of the leader's machines is followed, and which tab of it: that at which somebody went somewhere
 * last. What another of them comes to by itself, as after a reload or when its run has ended, takes nobody
 * away from there. */
import { computed, effect } from "@preact/signals";
import { read, write } from "../../store/storage";
import { room } from "./attending";

const ACTS = ["pointerdown", "keydown", "wheel"] as const;

const TAB = "fuselab.tab";

/** What this tab calls itself, also after a reload. */
export function tab(): string {
  const own = read("sessionStorage", TAB) ?? Math.random().toString(36).slice(2, 12);
  write("sessionStorage", TAB, own);
  return own;
}

/** What is followed in the place of this page, in words; "" where that is this one, or none. */
export const other = computed(() => {
  const { front = 0, front_tab = "", you, seats = [] } = room.value ?? {};
  if (front === you) return front_tab === "" || front_tab === tab() ? "" : "Another tab";
  return seats.some(({ id, leads, here }) => leads && here && id === front)
    ? "Another machine"
    : "";
});

/** Whether who follows sees another machine or tab than this one. */
const isOthers = computed(() => other.value !== "");

let hasActed = true;

/** Whether a change of what this page shows is its person's will. */
export const isMeant = (): boolean => !isOthers.peek() || hasActed;

/** Watches for what its person does, until the returned function is called. */
export function watchActs(): () => void {
  const act = () => void (hasActed = true);
  // Who came here by a link went somewhere; who loaded the page again did not.
  hasActed = navigation() !== "reload";
  let wasFollowed = false;
  const end = effect(() => {
    // Another is gone to instead; that it is only heard of again takes nothing away from here.
    if (isOthers.value && wasFollowed) hasActed = false;
    wasFollowed = !isOthers.value && room.value?.front === room.value?.you;
  });
  for (const name of ACTS) document.addEventListener(name, act, LISTEN);
  return () => {
    end();
    for (const name of ACTS) document.removeEventListener(name, act, LISTEN);
  };
}

const LISTEN = { capture: true, passive: true } as const;

const navigation = (): string | undefined =>
  (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined)?.type;
