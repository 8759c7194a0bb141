/** The IR of a run; before there is one, what the page is. */
import { useRunView } from "../store/context";
import { IrText } from "./parts";
import { Welcome } from "./Welcome";

export const IrPane = () => (useRunView().run.value === null ? <Welcome /> : <IrText />);
