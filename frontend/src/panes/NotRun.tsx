/** Which of the other compilers the program was not given to, or did not get through, and why. */
import { titleOf } from "../lib/compilers";
import { useRunView } from "../store/context";

export function NotRun() {
  const stages = useRunView().program.value?.stages ?? [];
  const left = stages.filter(({ kind, status }) => kind === "reference" && status !== "ok");
  return (
    <>
      {left.map(({ name, status, summary }) => (
        <p class="note" key={name}>
          {titleOf(name)} {status === "skipped" ? "did not run" : "failed"}: {summary}
        </p>
      ))}
    </>
  );
}
