/** Under the editor: what is wrong, where something is. */
import { failures } from "../lib/diagnostics";
import { useRunView } from "../store/context";
import { Icon } from "./Icon";
import { ProblemList } from "./parts";

export function Problems() {
  const { report, complaint } = useRunView();
  const asked = complaint.value;
  const hasFailed = failures(report.value).length > 0;
  if (asked === null && !hasFailed) return null;
  return (
    <div class="problems" role="alert">
      {/* Here, for it may say that nothing more can be fetched. */}
      {asked !== null && (
        <div class="problem">
          <Icon name="cross" />
          <p class="message">{asked}</p>
        </div>
      )}
      {hasFailed && <ProblemList />}
    </div>
  );
}
