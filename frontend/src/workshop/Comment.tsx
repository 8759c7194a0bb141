/** What the leader said of one's work, and the text that came with it, until one has read it. */
import { useRunView } from "../store/context";
import { dismiss, leader, you } from "./room/attending";
import { takeBack } from "./room/handing";

export function Comment() {
  const view = useRunView();
  const text = you.value?.comment ?? "";
  return (
    <div role="status">
      {text !== "" && (
        <p class="workshop-comment">
          <span>
            <strong>{leader.value}:</strong> {text}
          </span>
          {you.value?.sent_back && (
            <button
              title="Puts it into your editor; what stands there can be put back"
              onClick={() => void takeBack(view)}
            >
              Open the text that came with it
            </button>
          )}
          <button class="quiet" onClick={() => void dismiss()}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
