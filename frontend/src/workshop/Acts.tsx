/** What the leader does about a seat. */
import { useState } from "preact/hooks";
import type { Seat } from "../net/workshop";
import { useRunView } from "../store/context";
import { open } from "../store/running";
import { givePen, remove, setMuted } from "./room/attending";
import { leaveFor } from "./room/following";
import { goToPanes } from "./room/going";
import { SendingBack } from "./SendingBack";

export function Acts({ seat }: { seat: Seat }) {
  const view = useRunView();
  const [isWriting, setWriting] = useState(false);
  const { id, name, pen, muted } = seat;
  const run = seat.run?.id;
  // The leader's page tells where the leader is, and whoever follows goes there.
  const showToAll = (shown: string) => {
    goToPanes(true);
    leaveFor(view, shown);
    view.address.opened(shown);
    void open(view, shown);
  };
  return (
    <div class="seat-acts">
      {run !== undefined && (
        <Act says={`Show to all who follow: the run of ${name}`} act={() => showToAll(run)}>
          Show to all
        </Act>
      )}
      {isWriting ? (
        <SendingBack seat={seat} done={() => setWriting(false)} />
      ) : (
        <Act says={`Comment on the work of ${name}`} act={() => setWriting(true)}>
          Comment
        </Act>
      )}
      {!muted && (
        <Act
          says={pen ? `Take pen from ${name}` : `Give pen to ${name}`}
          title="Whoever has the pen writes in the shared text"
          act={() => void givePen(id, !pen)}
        >
          {pen ? "Take pen" : "Give pen"}
        </Act>
      )}
      <Act
        says={muted ? `Unmute ${name}` : `Mute ${name}`}
        title="Who is muted works on, and is seen by you alone"
        act={() => void setMuted(id, !muted)}
      >
        {muted ? "Unmute" : "Mute"}
      </Act>
      <Act says={`Remove ${name}`} act={() => void remove(id)}>
        Remove
      </Act>
    </div>
  );
}

interface ActProps {
  says: string;
  title?: string;
  act: () => void;
  children: string;
}

const Act = ({ says, title, act, children }: ActProps) => (
  <button class="quiet" aria-label={says} title={title} onClick={act}>
    {children}
  </button>
);
