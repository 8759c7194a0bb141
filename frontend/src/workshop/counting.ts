/** How many are in a workshop: seats, and apart from them who leads, at any number of machines. */
import { plural } from "../lib/format";
import type { Seat } from "../net/workshop";

export function inRoom(seats: readonly Pick<Seat, "here" | "leads">[]): string {
  const others = seats.filter(({ leads }) => !leads);
  const leading = seats.filter(({ leads, here }) => leads && here).length;
  const here = others.filter((seat) => seat.here).length;
  const count = others.length === 0 ? "nobody here yet" : `${here} of ${others.length} here`;
  return `${count}, ${plural(leading, "leader")}`;
}
