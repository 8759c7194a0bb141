/** The leader link, by which another machine leads as well. */
import type { Door } from "../net/workshop";

/** What a leader link proves. */
export const leadSecret = (): string =>
  new URLSearchParams(location.hash.replace(/^#/, "")).get("lead") ?? "";

/** It is nobody's to read in the address of whoever leads. */
export function dropSecret(): void {
  if (leadSecret() !== "") history.replaceState(null, "", location.pathname);
}

/** Whether a door opens to nobody here. */
export const isShut = (door: Door, lead: string): boolean =>
  (door.removed || (door.locked && !door.was_inside)) && lead === "";
