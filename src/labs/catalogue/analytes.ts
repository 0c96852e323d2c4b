import { sql, type Selectable } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { Analytes } from '../../db/tables.ts';

/** An observation that a lab test asks for, with the marker that brings it. */
export type Analyte = Selectable<Analytes> & {
  /** False for computed values, which a laboratory may leave out. */
  required: boolean;
  /** What a result in words means, where the laboratory says nothing more of it. */
  normal_words: string[];
  abnormal_words: string[];
  marker_id: number;
  marker_name: string;
  marker_slug: string;
  marker_provider_id: string;
};

/**
 * What the laboratory reports for one of the team's lab tests, in the order of its markers; an analyte that two
 * markers bring comes once, with the first. Empty for an unknown lab test and for another team's.
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
      // What is reported as a document lacks no value.
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
