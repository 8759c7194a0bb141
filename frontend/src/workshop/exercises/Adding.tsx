/** Where the leader writes an exercise: its exercise.toml, and what the editor holds as its start. */
import { useState } from "preact/hooks";
import { useRunView } from "../../store/context";
import { add, chosen } from "./state";

const EXAMPLE = `title = "Make it one kernel"
call = "f(f32[1024,512])"
text = """
Change \`f\` so that it runs as **one** kernel.
"""
hints = ["Which operation is alone in its kernel?"]

[[check]]
kind = "kernels"
at_most = 1
`;

export function Adding({ isFirst }: { isFirst: boolean }) {
  const view = useRunView();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const name = String(fields.get("name"));
    setBusy(true);
    const toml = String(fields.get("toml"));
    const reference = String(fields.get("reference"));
    if (await add(name, { toml, start: view.source.value, reference })) {
      form.reset();
      chosen.value = name;
    }
    setBusy(false);
  };
  return (
    <details class="adding" open={isFirst}>
      <summary>Add an exercise</summary>
      <form aria-label="Add an exercise" onSubmit={(event) => void send(event)}>
        <label>
          Name{" "}
          <input
            name="name"
            required
            maxLength={40}
            pattern="[a-z0-9][a-z0-9\-]*"
            placeholder="one-kernel"
            title="Small letters, digits and hyphens"
          />
        </label>
        <label class="adding-toml">
          exercise.toml
          <textarea name="toml" required rows={10} spellcheck={false} defaultValue={EXAMPLE} />
        </label>
        <label class="adding-toml">
          reference.py (optional)
          <textarea
            name="reference"
            rows={4}
            spellcheck={false}
            placeholder="A function that gives what is right"
          />
        </label>
        <p class="faint">
          It starts from what the editor holds now. Kinds of checks: kernels, graph_breaks,
          library_calls, bytes, recompiles, speedup, error, fused, and equal, which compares with
          the reference; all are of the call, on numbers that nobody knows. Nobody in the room is
          sent the reference.
        </p>
        <button class="primary" disabled={isBusy}>
          Add it
        </button>
      </form>
    </details>
  );
}
