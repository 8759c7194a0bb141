/** Giving up one's seat. */
import { Confirm } from "./room/Confirm";
import { leave } from "./entering";
import { you } from "./room/attending";

export const Leaving = ({ title }: { title: string }) => (
  <Confirm
    label="Leave"
    about={`Leave ${title}`}
    act="Leave the workshop"
    stay="Stay"
    onAct={() => void leave()}
  >
    {you.value?.leads && "The others stay, and nobody leads from here. "}
    What you did here is kept: whoever comes back by the same link has their seat again, with all
    its work.
  </Confirm>
);
