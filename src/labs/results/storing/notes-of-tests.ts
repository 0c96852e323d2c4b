// What a laboratory notes of a test of which the same report has no value (decision record 237).
import type { OrderedTest } from '../../catalogue/ordered-tests.ts';
import type { KeptReport } from '../kept-report.ts';
import { MOST_OF_REPORT, ReportRefused } from '../report-bounds.ts';
import type { LabReport, Observation, ReportedTest } from '../report.ts';
import { rejectionOf } from './rejected-samples.ts';
import { NOT_IN_REPORT, SET_ASIDE } from './merge-report.ts';
import { meantBy } from './told-tests.ts';

/**
 * The report with such notes as observations: of an ordered test that will have no value, each that it lacks says so with the
 * note; any other note stands for itself, as a comment. Throws ReportRefused for more of them than all notes may be.
 */
export function withNotesOfTests(report: LabReport, before: KeptReport | null, ordered: OrderedTest[]): LabReport {
  const told = [...(before?.results ?? []), ...(before?.withdrawn ?? [])].map(({ key }) => key.split('#')[0]);
  const known = new Set([...told, ...report.observations.map(({ analyte_slug }) => analyte_slug)]);
  const added = (report.tests ?? []).flatMap((test) => {
    const isRejected = test.status === 'cancelled' && rejectionOf(test) !== null;
    if (!test.notes && !isRejected) return [];
    const lacking = [...new Set(meantBy(test, ordered).flatMap(({ analytes }) => analytes))].filter(
      ({ slug, required }) => required && !known.has(slug),
    );
    if (test.status === 'partial' || lacking.length === 0) return test.notes ? [noteOf(test, test.notes)] : [];
    return lacking.map(({ slug }) => notObtained(slug, test, report.set_aside ? SET_ASIDE : NOT_IN_REPORT));
  });
  const observations = [...report.observations, ...added];
  const length = observations.reduce((sum, { notes, text }) => sum + (notes?.length ?? 0) + text.length, 0);
  if (added.length > 0 && length > MOST_OF_REPORT.notes) throw new ReportRefused('text_too_long');
  return { ...report, observations };
}

const PLAIN = {
  analyte_slug: null,
  loinc: null,
  code: null,
  sub_id: null,
  kind: 'comment',
  unit: null,
  reference_range: null,
  flags: [],
  failure: null,
  notes: null,
  performing_laboratory: null,
  sample_id: null,
} as const satisfies Partial<Observation>;

/** Named as what it is, so that it is never taken for a value of that test. */
const noteOf = ({ name, codes }: ReportedTest, text: string): Observation => ({
  ...PLAIN,
  flags: [],
  name: `Note on ${name || codes[0] || 'the report'}`,
  text,
  status: 'final',
});

function notObtained(slug: string, test: ReportedTest, absent: string): Observation {
  const { status, notes = null } = test;
  const rejection = status === 'cancelled' ? rejectionOf(test) : null;
  const cancelled = rejection?.words ?? 'The laboratory cancelled this test.';
  return {
    ...PLAIN,
    flags: [],
    analyte_slug: slug,
    name: slug,
    text: status === 'cancelled' ? cancelled : absent,
    notes,
    failure: rejection?.failure ?? null,
    status: 'not_obtained',
  };
}
