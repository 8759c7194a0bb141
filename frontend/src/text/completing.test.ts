import { CompletionContext } from "@codemirror/autocomplete";
import { python } from "@codemirror/lang-python";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { completing } from "./completing";
import { importsOf, resolved } from "./imports";

const HEAD = `import torch
import torch.nn.functional as F, math
from torch import nn
import jax.numpy as jnp
`;

async function offered(line: string): Promise<string[]> {
  const doc = HEAD + line;
  const state = EditorState.create({ doc, extensions: [python()] });
  const found = await completing(new CompletionContext(state, doc.length, false));
  return (found?.options ?? []).map(({ label }) => label);
}

test("imports say what names stand for", () => {
  const imports = importsOf(HEAD);
  expect(resolved("F", imports)).toBe("torch.nn.functional");
  expect(resolved("nn.functional", imports)).toBe("torch.nn.functional");
  expect(resolved("torch.nn", imports)).toBe("torch.nn");
  expect(resolved("math", imports)).toBe("math");
  expect(resolved("x", imports)).toBe(null);
});

test("after a module's dot stand its names, with what they take", async () => {
  expect(await offered("y = F.ge")).toContain("gelu");
  expect(await offered("y = jnp.")).toContain("einsum");
  expect(await offered("y = torch.")).toEqual(expect.arrayContaining(["nn", "relu", "compile"]));
  expect(await offered("y = torch.nn.")).toEqual(expect.arrayContaining(["functional", "Linear"]));
  expect(await offered("y = math.")).toEqual([]);
});

test("after any other dot stand a tensor's names", async () => {
  expect(await offered("y = x.su")).toContain("sum");
  expect(await offered("y = f(x).")).toContain("reshape");
});

test("after self stand what the snippet's classes name and define", async () => {
  const net = `class Net(nn.Module):
    def __init__(self, width: int):
        self.first, self.width = nn.Linear(4, 4), width
        self.scale: float = 0.5
    def mixed(self, x):
        return x
    def forward(self, x):
        return self.s`;
  expect(await offered(net)).toEqual(["first", "width", "scale", "mixed", "forward"]);
});

test("without a dot stand the imported names; in a text or a comment nothing", async () => {
  expect(await offered("y = jn")).toEqual(["torch", "F", "math", "jnp", "nn"]);
  expect(await offered('y = "F.')).toEqual([]);
  expect(await offered("# F.")).toEqual([]);
});
