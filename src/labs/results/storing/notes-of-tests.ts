// Stores notes about a test for which the same report contains no value.
import type { OrderedTest } from '../../catalogue/ordered-tests.ts';
import type { StoredReport } from '../stored-report.ts';
import { MAX_OF_REPORT, ReportRefused } from '../report-bounds.ts';
import type { LabReport, Observation, ReportedTest } from '../lab-report.ts';
import { rejectionOf } from './rejected-samples.ts';
import { NOT_IN_REPORT, SET_ASIDE } from './merge-report.ts';
import { testsMeantBy } from './test-statuses.ts';

/**
 * Returns the report with these notes as additional observations. If an ordered test will get no value, each missing
 * value of the test gets the note. Every other note becomes an observation of the kind comment. Throws ReportRefused if
 * all notes together are too long.
 */
export function withNotesOfTests(report: LabReport, before: StoredReport | null, ordered: OrderedTest[]): LabReport {
  const storedSlugs = [...(before?.results ?? []), ...(before?.withdrawn ?? [])].map(({ key }) => key.split('#')[0]);
  const known = new Set([...storedSlugs, ...report.observations.map(({ analyte_slug }) => analyte_slug)]);
  const added = (report.tests ?? []).flatMap((test) => {
    const isRejected = test.status === 'cancelled' && rejectionOf(test) !== null;
    if (!test.notes && !isRejected) return [];
    const lacking = [...new Set(testsMeantBy(test, ordered).flatMap(({ analytes }) => analytes))].filter(
      ({ slug, required }) => required && !known.has(slug),
    );
    if (test.status === 'partial' || lacking.length === 0) return test.notes ? [noteOf(test, test.notes)] : [];
    return lacking.map(({ slug }) => notObtained(slug, test, report.set_aside ? SET_ASIDE : NOT_IN_REPORT));
  });
  const observations = [...report.observations, ...added];
  const length = observations.reduce((sum, { notes, text }) => sum + (notes?.length ?? 0) + text.length, 0);
  if (added.length > 0 && length > MAX_OF_REPORT.notes) throw new ReportRefused('text_too_long');
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

/**
 * Returns an observation that contains only a note. Its name begins with "Note on", because a reader could otherwise
 * take it for a value of the test.
 */
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
