/** Launches that do the same to other buffers: they share a text, and are shown once. */
import type { Kernel } from "../wire";
import { plural } from "./format";

/** The id of the launch whose texts and machine code are this one's as well. */
export const functionOf = ({ id, same_as }: Pick<Kernel, "id" | "same_as">): string =>
  same_as || id;

/** A launch, and those after it that are equal to it. */
export interface Equal {
  first: Kernel;
  others: Kernel[];
}

/** `launches` of one plan, those that are equal together, by the first of each. */
export function equalOnes(launches: readonly Kernel[]): Equal[] {
  const found = new Map<string, Equal>();
  for (const launch of launches) {
    const known = found.get(functionOf(launch));
    if (known) known.others.push(launch);
    else found.set(functionOf(launch), { first: launch, others: [] });
  }
  return [...found.values()];
}

/** What launches are in all: "26 launches: 2 kernels, launched 24 times, and 2 library calls". */
export function launchesInWords(launches: readonly Kernel[]): string {
  const own = launches.filter(({ library }) => library === null);
  const kernels = equalOnes(own).length;
  const times = own.length > kernels ? `, launched ${plural(own.length, "time")},` : "";
  const parts = [
    kernels > 0 && plural(kernels, "kernel") + times,
    launches.length > own.length && plural(launches.length - own.length, "library call"),
  ].filter(Boolean);
  return `${plural(launches.length, "launch")}: ${parts.join(" and ").replace(/,$/, "")}`;
}

/** The place of the first that is equal to the kernel at `place`: names repeat in the next graph's
 * plan, so it is the nearest one before. */
export function firstPlace(kernels: readonly Kernel[], place: number): number {
  const kernel = kernels[place];
  if (!kernel?.same_as) return place;
  const before = kernels.slice(0, place);
  const found = before.findLastIndex(
    ({ id, backend }) => id === kernel.same_as && backend === kernel.backend,
  );
  return found < 0 ? place : found;
}

/** The same for each of the kernels. */
export function firstPlaces(kernels: readonly Kernel[]): number[] {
  const last = new Map<string, number>();
  return kernels.map((kernel, place) => {
    const own = `${kernel.backend}/${kernel.id}`;
    last.set(own, place);
    return last.get(`${kernel.backend}/${functionOf(kernel)}`) ?? place;
  });
}
