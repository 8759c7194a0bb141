import { expect, test } from "vitest";
import { inRoom } from "./counting";

const lead = { here: true, leads: true };
const seat = { here: true, leads: false };

test("the leader and the leader's second machine are no seats", () => {
  const away = { ...seat, here: false };
  expect(inRoom([lead, seat, away, lead])).toBe("1 of 2 here, 2 leaders");
  expect(inRoom([lead])).toBe("nobody here yet, 1 leader");
});
