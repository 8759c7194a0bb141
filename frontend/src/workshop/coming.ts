/** Who comes in by a form goes on at the room's title, by keyboard as by voice: the form, which had the
 * focus, is gone, and the keys would begin somewhere among the panes. */

let isByForm = false;

export const cameByForm = (): void => void (isByForm = true);

/** Once the title is drawn. */
export function goOnAt(title: HTMLElement | null): void {
  if (isByForm && document.activeElement === document.body) title?.focus();
  isByForm = false;
}
