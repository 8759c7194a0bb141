/** What the leader said of one's work, until one has read it. */
import { dismiss, leader, you } from "./attending";

export function Comment() {
  const text = you.value?.comment ?? "";
  return (
    <div role="status">
      {text !== "" && (
        <p class="workshop-comment">
          <span>
            <strong>{leader.value}:</strong> {text}
          </span>
          <button class="quiet" onClick={() => void dismiss()}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
