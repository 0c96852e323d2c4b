/** Units as laboratories write them, with their forms in UCUM, the standard code for units. */
const UCUM: Record<string, string> = {
  'mEq/L': 'meq/L',
  'uIU/mL': 'u[IU]/mL',
  'mIU/L': 'm[IU]/L',
  'mIU/mL': 'm[IU]/mL',
  'IU/mL': '[IU]/mL',
  'IU/L': '[IU]/L',
  'K/uL': '10*3/uL',
  'x10E3/uL': '10*3/uL',
  'Thousand/uL': '10*3/uL',
  'M/uL': '10*6/uL',
  'x10E6/uL': '10*6/uL',
  'Million/uL': '10*6/uL',
  'mcg/dL': 'ug/dL',
  'mcg/mL': 'ug/mL',
  'mcg/L': 'ug/L',
  'mL/min/1.73m2': 'mL/min/{1.73_m2}',
  'mL/min/1.73': 'mL/min/{1.73_m2}',
  ratio: '{ratio}',
};
const BY_LETTERS = new Map(Object.entries(UCUM).map(([sent, ucum]) => [sent.toLowerCase(), ucum]));

/** Returns the UCUM form of a unit. If we know none, returns the unit as the laboratory sent it. */
export function ucumOf(unit: string | null): string | null {
  const sent = unit?.trim().replaceAll(/[\u00B5\u03BC]/g, 'u') ?? '';
  if (sent === '') return null;
  return BY_LETTERS.get(sent.toLowerCase()) ?? sent;
}
