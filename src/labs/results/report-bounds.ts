import type { LabReport } from './lab-report.ts';

/**
 * The largest report that we accept. No laboratory reports that much about one order. A larger report would take us too
 * long.
 */
export const MAX_OF_REPORT = {
  observations: 1_000,
  samples: 100,
  laboratories: 100,
  flags: 20,
  /**
   * `value` is the maximum number of characters of a value, and of its notes. `text` is the maximum for every other
   * text.
   */
  value: 65_536,
  /**
   * The maximum number of characters of the notes of all values together. If a note belongs to several values, we count
   * it once for each value.
   */
  notes: 4_194_304,
  text: 4_000,
  /**
   * The maximum number of values of one order, in its current report and its history. If a report would exceed it, we
   * refuse the report, because we never delete stored values.
   */
  values_of_order: 2_000,
} as const;

type Code = 'too_many_observations' | 'too_many_samples' | 'too_many_laboratories' | 'text_too_long' | 'order_full';

/**
 * Thrown if a report exceeds these bounds. We store no part of the report. `code` tells the caller which bound the
 * report exceeds.
 */
export class ReportRefused extends Error {
  readonly code: Code;

  constructor(code: Code) {
    super(`the report cannot be stored: ${code}`);
    this.name = 'ReportRefused';
    this.code = code;
  }
}

/** Throws ReportRefused if a report exceeds the bounds. Callers check this before any other work. */
export function refuseOversize(report: LabReport): void {
  const { observations, tests, samples, performing_laboratories: laboratories } = report;
  if (observations.length > MAX_OF_REPORT.observations) throw new ReportRefused('too_many_observations');
  if ((tests?.length ?? 0) > MAX_OF_REPORT.observations) throw new ReportRefused('too_many_observations');
  if (samples.length > MAX_OF_REPORT.samples) throw new ReportRefused('too_many_samples');
  if (Object.keys(laboratories).length > MAX_OF_REPORT.laboratories) throw new ReportRefused('too_many_laboratories');
  for (const { text, notes, flags, ...others } of observations) {
    const isLong = Math.max(text.length, notes?.length ?? 0) > MAX_OF_REPORT.value;
    if (isLong || flags.length > MAX_OF_REPORT.flags || hasLongText([flags, others])) refuseText();
  }
  if (tests?.some(({ notes }) => (notes?.length ?? 0) > MAX_OF_REPORT.value)) refuseText();
  const others = tests?.map((test) => ({ ...test, notes: null })) ?? null;
  if (hasLongText({ ...report, tests: others, observations: [] })) refuseText();
}

function refuseText(): never {
  throw new ReportRefused('text_too_long');
}

/** Returns whether any text within this value is too long, at any depth. */
function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_OF_REPORT.text;
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasLongText);
}
