// The fields of a message that a repair may change, by the numbers of HL7.

export type FieldName = { label: string; hint?: string };

const STATUS_OF_VALUE =
  'F: final. P, R or S: preliminary. C or A: corrected. D or W: withdrawn. X: not obtained. I, O or N: none yet.';
const STATUS_OF_TEST = 'F: final. P, A or R: partial. C: corrected. X: cancelled. O, I or S: no result yet.';
const TIME = 'YYYYMMDDHHMMSS, with the zone as -0700 if there is one.';

export const FIELDS: Readonly<Record<string, Readonly<Record<number, FieldName>>>> = {
  OBR: {
    4: { label: 'Test', hint: 'Code^name^system' },
    7: { label: 'Collected', hint: TIME },
    14: { label: 'Received', hint: TIME },
    22: { label: 'Reported', hint: TIME },
    25: { label: 'Status of the test', hint: STATUS_OF_TEST },
  },
  OBX: {
    2: { label: 'Type of the value', hint: 'NM: number. ST or TX: text. CE or CWE: code. SN: with a comparison.' },
    3: { label: 'Code', hint: 'Code^name^system' },
    4: { label: 'Part', hint: 'Tells values with the same code apart.' },
    5: { label: 'Value' },
    6: { label: 'Unit' },
    7: { label: 'Reference range' },
    8: { label: 'Flags', hint: 'H: high. L: low. HH or LL: critical. N: normal.' },
    11: { label: 'Status', hint: STATUS_OF_VALUE },
    14: { label: 'Observed', hint: TIME },
  },
  NTE: { 3: { label: 'Comment' } },
  SPM: {
    4: { label: 'Type of the sample', hint: 'Code^name^system' },
    17: { label: 'Collected', hint: TIME },
    18: { label: 'Received', hint: TIME },
    21: { label: 'Reason of a rejection', hint: 'Code^name^system' },
  },
};

export const labelOf = (segment: string, field: number): string =>
  FIELDS[segment]?.[field]?.label ?? `${segment}-${field}`;

const OF_VALUES = new Set('FPRSCADWXION');
const OF_TESTS = new Set('OISAPRCFX');

/** Returns whether a value cannot be what its field needs, for reasons that name no segment. */
export function isSuspect(reason: string, fields: Record<string, string>): boolean {
  const statusOfValue = (fields['11'] ?? '').toUpperCase();
  if (reason === 'missing_obx_11') return statusOfValue === '';
  if (reason === 'wrong_obx_11') return !OF_VALUES.has(statusOfValue);
  if (reason === 'wrong_obr_25') return !OF_TESTS.has((fields['25'] ?? '').toUpperCase());
  return true;
}

/** What a repair removes as a whole. */
export const isRemovable = (segment: string): boolean => segment === 'OBX' || segment === 'NTE';
