/** Texts as files: what they are called, and what is in them. */
import type { Artifact } from "../wire";
import { isModule } from "./compilers";

const ENDINGS: Record<Artifact["language"], string> = {
  fuselab: "txt",
  python: "py",
  aten: "txt",
  jaxpr: "txt",
  stablehlo: "mlir",
  c: "c",
  mlir: "mlir",
  llvm: "ll",
  ptx: "ptx",
  sass: "sass",
  text: "txt",
  base64: "bin",
};

/** The language of a snippet's text. */
export const sourceLanguage = (source: string): Artifact["language"] =>
  isModule(source) ? "stablehlo" : "python";

/** What a snippet is called as a file. */
export const sourceName = (name: string, source: string): string =>
  `${name}.${ENDINGS[sourceLanguage(source)]}`;

/** Whether an artifact is a file to keep, with nothing in it to read. */
export const isFile = ({ language }: Artifact): boolean => language === "base64";

/** What an artifact is called as a file, by its own name where that has an ending. */
export function fileNameOf({ name, language }: Artifact, stage: string): string {
  const own = /\.\w+$/.test(name) ? name : `${stage}-${name}.${ENDINGS[language]}`;
  return own.replace(/[^\w.+-]+/g, "-");
}

/** What a file of an artifact holds; null where that is no base64. */
export function contentOf(artifact: Artifact): string | Uint8Array<ArrayBuffer> | null {
  if (!isFile(artifact)) return artifact.text;
  try {
    return Uint8Array.from(atob(artifact.text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The size of an artifact's content, in bytes. */
export function sizeOf(artifact: Artifact): number {
  const written = artifact.stored?.bytes ?? artifact.text.length;
  return isFile(artifact) ? Math.floor((written * 3) / 4) : written;
}
