/** What runs at a seat and what came of it. */
import { pathOf } from "../lib/urlstate";
import type { Seat, SeatRun } from "../net/workshop";

interface Props {
  seat: Seat;
  /** How many there are in the workshop. */
  exercises: number;
  leads: boolean;
}

export function Work({ seat, exercises, leads }: Props) {
  if (seat.leads) return null; // What the leader looks at is often somebody else's.
  const { run, passed, editing } = seat;
  const isUnderWay = run?.state === "queued" || run?.state === "running";
  return (
    <>
      {run?.pictured && leads && (
        <a class="picture" href={pathOf(run.id)} target="_blank" rel="noopener">
          <img
            src={`${pathOf(run.id)}/card.png`}
            alt={`What the run of ${seat.name} came to`}
            loading="lazy"
            width={120}
            height={63}
          />
        </a>
      )}
      <p class="seat-state">
        {editing && !isUnderWay && <span>editing</span>}
        {run && (
          <a class="link" href={pathOf(run.id)} target="_blank" rel="noopener">
            {editing && !isUnderWay ? `last run ${stateOf(run)}` : stateOf(run)}
          </a>
        )}
        {run && run.waits !== "" && <small>{run.waits}</small>}
        {exercises > 0 && passed !== null && (
          <small>
            {passed} of {exercises} passed
          </small>
        )}
      </p>
      {run && run.verdict !== "" && <small class="verdict">{run.verdict}</small>}
    </>
  );
}

/** As the run's own page says it. */
const stateOf = ({ state, asks, waits }: SeatRun): string =>
  asks ? "needs inputs" : waits === "" ? state : "waiting";
