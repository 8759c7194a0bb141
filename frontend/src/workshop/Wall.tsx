/** The seats of a workshop: who is here, who follows, and for the leader what runs at each. */
import type { Room, Seat } from "../net/workshop";
import { Acts } from "./Acts";
import { letBack, you } from "./room/attending";
import { Work } from "./Work";

export function Wall({ room }: { room: Room }) {
  const leads = you.value?.leads ?? false;
  return (
    <ul class={leads ? "workshop-wall led" : "workshop-wall"} aria-label="Seats">
      {leadersFirst(room.seats).map((seat) => (
        <li key={seat.id} class={looksOf(seat)}>
          <p class="seat-head">
            <span class="name">{seat.name}</span>
            <small>{about(seat, room)}</small>
          </p>
          <Work seat={seat} exercises={room.exercises} leads={leads} />
          {leads && !seat.leads && <Acts seat={seat} />}
        </li>
      ))}
      {room.removed.map(({ id, name }) => (
        <li key={id} class="away">
          <p class="seat-head">
            <span class="name">{name}</span>
            <small>removed</small>
          </p>
          <div class="seat-acts">
            <button
              class="quiet"
              aria-label={`Let back in: ${name}`}
              onClick={() => void letBack(id)}
            >
              Let back in
            </button>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The leader's work is what is shown to all: a line says who leads, and the cards are the others'. */
const leadersFirst = (seats: readonly Seat[]): Seat[] => [
  ...seats.filter(({ leads }) => leads),
  ...seats.filter(({ leads }) => !leads),
];

/** Whether several machines lead. */
const hasSeveral = ({ seats }: Room): boolean => seats.filter(({ leads }) => leads).length > 1;

const looksOf = ({ here, leads }: Seat): string =>
  [here ? "" : "away", leads ? "leader" : ""].filter(Boolean).join(" ");

const about = (seat: Seat, room: Room): string =>
  [
    seat.id === room.you ? "you" : "",
    seat.leads ? "leads" : "",
    seat.id === room.front && hasSeveral(room) ? "is followed" : "",
    seat.pen && !seat.leads ? "has the pen" : "",
    seat.muted ? "muted" : "",
    seat.follows ? "follows" : "",
    seat.here ? "" : "away",
  ]
    .filter(Boolean)
    .join(" · ");
