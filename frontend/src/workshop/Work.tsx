/** What runs at a seat and what came of it; for the leader also what can be done about it. */
import { useState } from "preact/hooks";
import { pathOf } from "../lib/urlstate";
import type { Seat } from "../net/workshop";
import { notify } from "../store/page";
import { useRunView } from "../store/context";
import { open } from "../store/running";
import { sendBack } from "./attending";

interface Props {
  seat: Seat;
  /** How many there are in the workshop. */
  exercises: number;
  leads: boolean;
}

export function Work({ seat, exercises, leads }: Props) {
  const { passed } = seat;
  // What the leader looks at is often somebody else's.
  const run = seat.leads ? null : seat.run;
  return (
    <>
      {run?.pictured && leads && (
        <a class="picture" href={pathOf(run.id)} target="_blank" rel="noopener">
          <img
            src={`${pathOf(run.id)}/card.png`}
            alt={`What the run of ${seat.name} came to`}
            loading="lazy"
            width={160}
            height={84}
          />
        </a>
      )}
      {run && (
        <a class="link" href={pathOf(run.id)} target="_blank" rel="noopener">
          {run.state}
        </a>
      )}
      {exercises > 0 && passed !== null && !seat.leads && (
        <small>
          {passed} of {exercises} passed
        </small>
      )}
      {leads && !seat.leads && <Acts seat={seat} />}
      {run && run.verdict !== "" && <small class="verdict">{run.verdict}</small>}
    </>
  );
}

function Acts({ seat }: { seat: Seat }) {
  const view = useRunView();
  const [isWriting, setWriting] = useState(false);
  const run = seat.run?.id;
  // The leader's page tells where the leader is, and whoever follows goes there.
  const showToAll = (id: string) => {
    view.address.opened(id);
    void open(view, id);
  };
  return (
    <>
      {run !== undefined && (
        <button
          class="quiet"
          aria-label={`Show to all who follow: the run of ${seat.name}`}
          onClick={() => showToAll(run)}
        >
          Show to all
        </button>
      )}
      {isWriting ? (
        <CommentForm seat={seat} done={() => setWriting(false)} />
      ) : (
        <button
          class="quiet"
          aria-label={`Comment on the work of ${seat.name}`}
          onClick={() => setWriting(true)}
        >
          Comment
        </button>
      )}
    </>
  );
}

function CommentForm({ seat, done }: { seat: Seat; done: () => void }) {
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    if (await sendBack(seat.id, String(fields.get("comment")))) {
      notify(`Sent to ${seat.name}.`);
      done();
    }
  };
  return (
    <form class="workshop-form" onSubmit={(event) => void send(event)}>
      <input
        name="comment"
        aria-label={`Comment for ${seat.name}`}
        required
        maxLength={500}
        placeholder="Comment"
        defaultValue={seat.comment}
        ref={(input) => input?.focus()}
      />
      <button>Send</button>
    </form>
  );
}
