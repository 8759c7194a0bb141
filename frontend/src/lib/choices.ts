/** What the choices of a run's options are called. */
import type { Options } from "../wire";

export const DEVICES: Record<Options["device"], string> = {
  auto: "auto",
  cpu: "CPU",
  cuda: "CUDA",
};

export const TARGETS: Record<Options["target"], string> = {
  auto: "auto",
  sm_80: "sm_80 (A100)",
  sm_90: "sm_90 (H100)",
  sm_100: "sm_100 (B200)",
  gfx942: "gfx942 (MI300)",
};
