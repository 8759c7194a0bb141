/** Kernels at the levels that they are compiled through: which kernel, and which level. */
import type { Shown } from "./artifacts";

export interface Level {
  kind: string;
  name: string;
}

const NAMES: Readonly<Record<string, string>> = {
  triton: "Triton",
  ttir: "TTIR",
  ttgir: "TTGIR",
  llir: "LLVM IR",
  ptx: "PTX",
  amdgcn: "AMDGCN",
  sass: "SASS",
};

/** What a text is of; a kernel is one of its graph and backend. */
export function kernelAndLevel({ stage, artifact }: Shown): { kernel: string; kind: string } {
  const kernel = [stage.graph, stage.backend, artifact.kernel ?? ""].join("/");
  return { kernel, kind: artifact.kind };
}

/** The levels of the texts, in their order; null where they are not kernels at several levels. */
export function levelsOf(items: readonly Shown[]): Level[] | null {
  const kinds = [...new Set(items.map(({ artifact }) => artifact.kind))];
  const ofKernels = items.every(
    ({ artifact }) => artifact.kernel !== null && artifact.kind in NAMES,
  );
  if (!ofKernels || kinds.length < 2) return null;
  return kinds.map((kind) => ({ kind, name: NAMES[kind]! }));
}
