import { expect, test } from "vitest";
import type { Room } from "../../net/workshop";
import { room } from "../room/attending";
import { holders } from "./state";

test("a leader at two machines has the pen once", () => {
  const seat = (name: string, pen = true) => ({ name, pen });
  const seats = [seat("Lena"), seat("Ada"), seat("Sam", false), seat("Lena")];
  room.value = { seats } as unknown as Room;
  expect(holders.value).toEqual(["Lena", "Ada"]);
});
