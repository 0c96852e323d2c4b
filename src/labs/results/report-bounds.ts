import type { LabReport } from './report.ts';

/** More than any laboratory tells of an order, few enough to be read in a moment. */
export const MOST_OF_REPORT = {
  observations: 1_000,
  samples: 100,
  laboratories: 100,
  flags: 20,
  /** Characters of a value or of its notes, and of any other text. */
  value: 65_536,
  /** Of the notes of all values together, which a note of several multiplies. */
  notes: 4_194_304,
  text: 4_000,
  /** Values of an order in all: what it was told before stays. */
  values_of_order: 2_000,
} as const;

type Code = 'too_many_observations' | 'too_many_samples' | 'too_many_laboratories' | 'text_too_long' | 'order_full';

/** A report is beyond these bounds: nothing of it is kept, and whoever brought it sees to it by the code. */
export class ReportRefused extends Error {
  readonly code: Code;

  constructor(code: Code) {
    super(`the report cannot be kept: ${code}`);
    this.name = 'ReportRefused';
    this.code = code;
  }
}

/** Looks before any work is done with it. Throws ReportRefused. */
export function refuseOversize(report: LabReport): void {
  const { observations, tests, samples, performing_laboratories: laboratories } = report;
  if (observations.length > MOST_OF_REPORT.observations) throw new ReportRefused('too_many_observations');
  if ((tests?.length ?? 0) > MOST_OF_REPORT.observations) throw new ReportRefused('too_many_observations');
  if (samples.length > MOST_OF_REPORT.samples) throw new ReportRefused('too_many_samples');
  if (Object.keys(laboratories).length > MOST_OF_REPORT.laboratories) throw new ReportRefused('too_many_laboratories');
  for (const { text, notes, flags, ...others } of observations) {
    const isLong = Math.max(text.length, notes?.length ?? 0) > MOST_OF_REPORT.value;
    if (isLong || flags.length > MOST_OF_REPORT.flags || hasLongText([flags, others])) refuseText();
  }
  if (tests?.some(({ notes }) => (notes?.length ?? 0) > MOST_OF_REPORT.value)) refuseText();
  const others = tests?.map((test) => ({ ...test, notes: null })) ?? null;
  if (hasLongText({ ...report, tests: others, observations: [] })) refuseText();
}

function refuseText(): never {
  throw new ReportRefused('text_too_long');
}

/** Any text within, however deep. */
function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MOST_OF_REPORT.text;
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasLongText);
}
