/** Says that the line to the run under way is lost. */
import { useRunView } from "../store/context";

const LINKS = {
  connecting: "",
  live: "",
  lost: "The connection is lost; the run goes on at the server. Trying again.",
  polling: "There is no live connection. Asking for the run every few seconds.",
} as const;

/** It is always there, for a screen reader tells what comes into it. */
export function Connection() {
  const { busy, link } = useRunView();
  return (
    <p class="banner connection" role="status" aria-label="Connection">
      {busy.value && LINKS[link.value]}
    </p>
  );
}
