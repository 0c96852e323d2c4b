import { sql, type Selectable } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { Analytes } from '../../db/tables.ts';

/**
 * An analyte is a single value that a laboratory measures or computes, such as glucose. A marker is what a client
 * orders. `marker_id` is the marker of the lab test to which the analyte belongs.
 */
export type Analyte = Selectable<Analytes> & {
  /** False for a value that the laboratory computes from others, because it may omit that value. */
  required: boolean;
  /** Words that mean a normal result, for results to which the laboratory adds neither a flag nor a range. */
  normal_words: string[];
  abnormal_words: string[];
  marker_id: number;
  marker_name: string;
  marker_slug: string;
  marker_provider_id: string;
};

/**
 * Returns the analytes that the laboratory reports for one of the team's lab tests, in the order of the markers. An
 * analyte of two markers is listed once, under the first marker. The list is empty for an unknown lab test and for a
 * lab test of another team.
 */
export async function analytesOf(ctx: TeamCtx, labTestId: string): Promise<Analyte[]> {
  const rows = await ctx.db
    .selectFrom('lab_tests')
    .innerJoin('lab_test_markers', 'lab_test_markers.lab_test_id', 'lab_tests.id')
    .innerJoin('markers', 'markers.id', 'lab_test_markers.marker_id')
    .innerJoin('marker_analytes', 'marker_analytes.marker_id', 'markers.id')
    .innerJoin('analytes', 'analytes.id', 'marker_analytes.analyte_id')
    .selectAll('analytes')
    .select([
      // If the laboratory reports a marker as a document, it may report no values.
      sql<boolean>`marker_analytes.required and markers.reported_as = 'values'`.as('required'),
      'marker_analytes.normal_words',
      'marker_analytes.abnormal_words',
      'markers.id as marker_id',
      'markers.name as marker_name',
      'markers.slug as marker_slug',
      'markers.provider_id as marker_provider_id',
    ])
    .where('lab_tests.team_id', '=', ctx.team.id)
    .where('lab_tests.id', '=', labTestId)
    .orderBy('lab_test_markers.position')
    .orderBy('markers.id')
    .orderBy('marker_analytes.position')
    .orderBy('analytes.id')
    .execute();
  const seen = new Set<number>();
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id));
}
