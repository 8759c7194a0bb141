/** What the choices of a run's options are called. */
import type { Options } from "../wire";

export const DEVICES: Record<Options["device"], string> = {
  auto: "auto",
  cpu: "CPU",
  cuda: "CUDA",
};

export const TARGETS: Record<Options["target"], string> = {
  auto: "auto",
  none: "only what runs it",
  sm_80: "sm_80 (A100)",
  sm_86: "sm_86 (A10, A40, RTX 30)",
  sm_89: "sm_89 (L4, L40, RTX 40)",
  sm_90: "sm_90 (H100, H200)",
  sm_100: "sm_100 (B200)",
  sm_120: "sm_120 (RTX 50, RTX PRO)",
  gfx942: "gfx942 (MI300)",
};
