// The units of sums and sizes in an Apple export, with the factors that convert them.
export const METRES: Record<string, number> = {
  m: 1,
  cm: 0.01,
  km: 1_000,
  mi: 1_609.344,
  yd: 0.9144,
  ft: 0.3048,
  in: 0.0254,
};
export const KILOCALORIES: Record<string, number> = { kcal: 1, Cal: 1, kJ: 1 / 4.184, cal: 0.001 };
