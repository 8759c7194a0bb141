import { expect, it } from "vitest";
import { callsOf, textOf } from "./calls";
import { callOf, signatureOf, signatures, withoutUsual, withUsual } from "./signature";

const SOURCE = `import torch

def scaled(x: "f32[4,8]", w=torch.ones(2, 3), *rest, eps: float = 1e-6, **more):
    def inner(q):
        return q
    return x

class Net(torch.nn.Module):
    def __init__(self, width: int, depth=2):
        super().__init__()

    def forward(
        self,
        x,
        mask: dict[str, int] = None,
    ):
        return x
`;

it("has the parameters of functions, and of classes those of both calls", () => {
  const named = signatures(SOURCE).map(({ name, built, given }) => [
    name,
    built?.map((each) => each.name),
    given.map((each) => each.name),
  ]);
  expect(named).toEqual([
    ["scaled", undefined, ["x", "w", "eps"]],
    ["Net", ["width", "depth"], ["x", "mask"]],
  ]);
});

it("is a call in which plain values stand, and what nobody can guess is to be filled in", () => {
  expect(signatures(SOURCE).map((each) => textOf([callOf(each)]))).toEqual([
    "scaled(f32[64,64], eps=1e-6)",
    "Net(64, depth=2)(f32[64,64], mask=None)",
  ]);
});

it("completes a call by what is usual, which is written where it differs", () => {
  const [scaled, net] = signatures(SOURCE);
  const [known] = callsOf("Net(8, depth=3)(f32[2,8])");
  const whole = withUsual(known!, net!);
  expect(textOf([whole])).toBe("Net(8, depth=3)(f32[2,8], mask=None)");
  expect(textOf([withoutUsual(whole, net!)])).toBe("Net(8, depth=3)(f32[2,8])");
  const [placed] = callsOf("scaled(f32[4], f32[4], 1e-6)");
  expect(withUsual(placed!, scaled!)).toEqual(placed);
});

it("is found by its name, or by how many arguments it takes", () => {
  const all = signatures(SOURCE);
  expect(signatureOf(all, "Net", 1)?.given).toHaveLength(2);
  expect(signatureOf(all, "", 2)?.name).toBe("scaled");
  expect(signatureOf(all, "", 9)).toBeUndefined();
  expect(signatures("x = 1\ndef f(")).toEqual([{ name: "f", built: null, given: [] }]);
});
