/** The IR of a run; before there is one, where to begin. */
import { useRunView } from "../store/context";
import { exampleComing } from "../store/page";
import { Empty } from "./Empty";
import { IrText, Welcome } from "./parts";

export function IrPane() {
  if (useRunView().run.value !== null) return <IrText />;
  return exampleComing.value ? <Empty pane="ir" /> : <Welcome />;
}
