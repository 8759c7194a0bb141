/** A moment as a person speaks of it. */

export function dayOf(when: number | string): string {
  const moment = new Date(when);
  const isToday = moment.toDateString() === new Date().toDateString();
  return isToday
    ? moment.toLocaleTimeString(undefined, { timeStyle: "short" })
    : moment.toLocaleDateString(undefined, { dateStyle: "medium" });
}
