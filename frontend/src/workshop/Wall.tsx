/** The seats of a workshop: who is here, who follows, and for the leader what runs at each. */
import type { Room, Seat } from "../net/workshop";
import { givePen, remove, you } from "./attending";
import { Work } from "./Work";

export function Wall({ room }: { room: Room }) {
  return (
    <ul class="workshop-wall" aria-label="Seats">
      {room.seats.map((seat) => (
        <li key={seat.id} class={seat.here ? "" : "away"}>
          <span class="name">{seat.name}</span>
          <small>{about(seat, room.you)}</small>
          <Work seat={seat} exercises={room.exercises} leads={you.value?.leads ?? false} />
          {you.value?.leads && !seat.leads && (
            <button
              class="quiet"
              aria-label={
                seat.pen ? `Take the pen from ${seat.name}` : `Give the pen to ${seat.name}`
              }
              title="Whoever has the pen writes in the shared text"
              onClick={() => void givePen(seat.id, !seat.pen)}
            >
              {seat.pen ? "Take the pen" : "Give the pen"}
            </button>
          )}
          {you.value?.leads && !seat.leads && (
            <button
              class="quiet"
              aria-label={`Remove ${seat.name}`}
              onClick={() => void remove(seat.id)}
            >
              Remove
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

const about = (seat: Seat, own: number): string =>
  [
    seat.id === own ? "you" : "",
    seat.leads ? "leads" : "",
    seat.pen && !seat.leads ? "has the pen" : "",
    seat.follows ? "follows" : "",
    seat.here ? "" : "away",
  ]
    .filter(Boolean)
    .join(" · ");
