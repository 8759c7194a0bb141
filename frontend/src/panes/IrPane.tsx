/** The IR of a run; before there is one, where to begin. */
import { useRunView } from "../store/context";
import { Empty } from "./Empty";
import { IrText, Welcome } from "./parts";

export function IrPane() {
  const { coming, run } = useRunView();
  if (run.value !== null) return <IrText />;
  return coming.value ? <Empty pane="ir" /> : <Welcome />;
}
