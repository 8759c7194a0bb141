/** Makes sheets away from the page, one after the other. */
import { sheetsOf, type Wanted } from "./sheet";

addEventListener("message", ({ data }: MessageEvent<Wanted>) => postMessage(sheetsOf(data)));
