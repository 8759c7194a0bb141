import { expect, test } from "vitest";
import type { Kernel } from "../wire";
import { equalOnes, firstPlace, firstPlaces, launchesInWords } from "./equal";

const launch = (id: string, same_as = "", backend = "gpu") =>
  ({ id, same_as, backend, library: null }) as Kernel;
const call = (id: string) => ({ ...launch(id), library: "matmul" }) as Kernel;

const LAUNCHES = [launch("k0"), launch("k1"), launch("k2", "k0"), launch("k3", "k0")];

test("equal launches are together, in the order of the first of each", () => {
  const found = equalOnes(LAUNCHES).map(({ first, others }) => [first, ...others].map((k) => k.id));
  expect(found).toEqual([["k0", "k2", "k3"], ["k1"]]);
});

test("where the first is in another part of the program, the next one stands for it", () => {
  const [only] = equalOnes([launch("k2", "k0"), launch("k3", "k0")]);
  expect([only?.first.id, only?.others.length]).toEqual(["k2", 1]);
});

test("the first is one of the same graph's plan", () => {
  const two = [...LAUNCHES, launch("k0"), launch("k1", "k0")];
  const mixed = [launch("k0", "", "cpu"), ...LAUNCHES];
  expect(firstPlaces(two)).toEqual([0, 1, 0, 0, 4, 4]);
  expect(firstPlaces(mixed)).toEqual([0, 1, 2, 1, 1]);
  for (const all of [two, mixed])
    expect(all.map((_, place) => firstPlace(all, place))).toEqual(firstPlaces(all));
});

test("launches are kernels, each as often as it is launched, and library calls", () => {
  const [first, second] = LAUNCHES;
  const said = [
    [first!],
    [first!, second!, call("k2"), call("k3")],
    [...LAUNCHES, call("k4")],
    LAUNCHES,
    [call("k0")],
  ].map(launchesInWords);
  expect(said).toEqual([
    "1 launch: 1 kernel",
    "4 launches: 2 kernels and 2 library calls",
    "5 launches: 2 kernels, launched 4 times, and 1 library call",
    "4 launches: 2 kernels, launched 4 times",
    "1 launch: 1 library call",
  ]);
});
