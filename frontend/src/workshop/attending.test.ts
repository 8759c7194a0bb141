import { expect, test } from "vitest";
import type { Result } from "../net/api";
import type { Room } from "../net/workshop";
import { changed, room } from "./attending";

const at = (page: number) => ({ ok: true, value: { deck: { page } } }) as unknown as Result<Room>;
const page = () => room.value?.deck?.page;

test("the answer to a change is the room from then on", async () => {
  await changed(Promise.resolve(at(1)));
  expect(page()).toBe(1);
});

test("two changes that are answered in order are both taken, whenever they were asked for", async () => {
  await Promise.all([changed(Promise.resolve(at(1))), changed(Promise.resolve(at(0)))]);
  expect(page()).toBe(0);
});

test("an answer that is overtaken by a later one takes nobody back", async () => {
  let arrive = (_: Result<Room>) => {};
  const late = changed(new Promise<Result<Room>>((resolve) => (arrive = resolve)));
  await changed(Promise.resolve(at(3)));
  arrive(at(2));
  await late;
  expect(page()).toBe(3);
});
