// Functions that convert a value into the unit of a series.

export const times =
  (factor: number) =>
  (value: number): number =>
    value * factor;

/**
 * How many milligrams per decilitre of glucose are one millimole per litre. The molar mass of glucose is 180.156 g/mol
 * (NIST WebBook).
 */
const GLUCOSE_MG_DL = 18.0156;
/**
 * How many milligrams per decilitre of cholesterol or of triglycerides are one millimole per litre. The molar mass of
 * cholesterol is 386.65 g/mol. The molar mass of triglycerides, as triolein, is 885.4 g/mol (NIST WebBook).
 */
const CHOLESTEROL_MG_DL = 38.665;
const TRIGLYCERIDES_MG_DL = 88.54;
const KILOGRAMS_A_POUND = 0.45359237;
const KILOCALORIES_A_KILOJOULE = 1 / 4.184;

export const kilograms = { g: times(0.001), lb: times(KILOGRAMS_A_POUND) };
export const kilocalories = { kJ: times(KILOCALORIES_A_KILOJOULE) };
export const metres = { km: times(1000), mi: times(1609.344) };
export const celsius = { '°F': (value: number) => ((value - 32) * 5) / 9 };
export const minutes = { s: times(1 / 60), h: times(60) };

/**
 * Converts milligrams per decilitre into millimoles per litre. For lipids, the factor depends on the type of the
 * sample.
 */
export const milligramsADecilitre = {
  glucose: { 'mg/dL': times(1 / GLUCOSE_MG_DL) },
  lipids: {
    'mg/dL': (value: number, type: string | null) =>
      value / (type === 'triglycerides' ? TRIGLYCERIDES_MG_DL : CHOLESTEROL_MG_DL),
  },
};
