/** The stages of a run; before the first has begun, what will be here. */
import { useRunView } from "../store/context";
import { Empty } from "./Empty";
import { StagesTree } from "./parts";

export function StagesPane() {
  const { program, progress } = useRunView();
  return program.value || progress.value ? <StagesTree /> : <Empty pane="stages" />;
}
