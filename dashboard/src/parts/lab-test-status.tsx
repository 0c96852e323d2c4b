import { inWords, StatusBadge, type Tone } from './status-badge.tsx';

export const LAB_TEST_STATUSES = ['active', 'pending_approval', 'inactive'] as const;

const TONES: Record<string, Tone> = { active: 'good', pending_approval: 'warning', inactive: 'quiet' };
const WORDS: Record<string, string> = {
  active: 'Active',
  pending_approval: 'To approve',
  inactive: 'Inactive',
};

export const labTestStatusInWords = (status: string): string => WORDS[status] ?? inWords(status);

/** Whether a lab test can be ordered, or waits for the operator's approval. */
export function LabTestStatus({ status }: { status: string }) {
  return <StatusBadge tone={TONES[status] ?? 'quiet'}>{labTestStatusInWords(status)}</StatusBadge>;
}

/** The days from the sample's arrival at the laboratory to the result. */
export function turnAroundInWords(test: {
  common_tat_days: number | null;
  worst_case_tat_days: number | null;
}): string {
  const { common_tat_days: common, worst_case_tat_days: worst } = test;
  if (common === null && worst === null) return 'Not known';
  if (common === null || worst === null || common === worst) return daysInWords((common ?? worst) as number);
  return `${common} to ${daysInWords(worst)}`;
}

const daysInWords = (days: number): string => (days === 1 ? '1 day' : `${days} days`);

const DOLLARS = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' });

export const inDollars = (price: number | string): string => DOLLARS.format(Number(price));
