/** The list of reasons, where there are any. */
import { useRunView } from "../store/context";
import { Empty } from "./Empty";
import { WhyList } from "./parts";

export function WhyPane() {
  const { reasons, run } = useRunView();
  if (run.value === null || reasons.value.length === 0) return <Empty pane="why" />;
  return <WhyList />;
}
