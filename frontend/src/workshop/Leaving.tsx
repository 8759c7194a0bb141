/** Giving up one's seat. */
import { Asked } from "./Asked";
import { leave, you } from "./attending";

export const Leaving = ({ title }: { title: string }) => (
  <Asked
    label="Leave"
    about={`Leave ${title}`}
    act="Leave the workshop"
    stay="Stay"
    onAct={() => void leave()}
  >
    {you.value?.leads && "The others stay, and nobody leads from here. "}
    What you did here is kept: whoever comes back by the same link has their seat again, with all
    its work.
  </Asked>
);
