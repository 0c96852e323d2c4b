import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';

/** One test that an order requests from its laboratory: a marker of the order's lab test, with its analytes. */
export type OrderedTest = {
  marker_id: number;
  /** The laboratory's order code. */
  provider_id: string;
  /** Whether the result is a document. Such a result may have no values. */
  is_document: boolean;
  analytes: { slug: string; required: boolean }[];
};

/**
 * Returns the tests of a lab test. The order message to the laboratory lists and numbers the tests in the same
 * sequence. The list is empty for an unknown lab test and for a lab test of another team.
 */
export async function orderedTestsOf(ctx: TeamCtx, labTestId: string): Promise<OrderedTest[]> {
  const { rows } = await sql<OrderedTest>`
    select m.id as marker_id, m.provider_id, m.reported_as = 'document' as is_document, (
             select coalesce(json_agg(json_build_object('slug', a.slug,
                      'required', ma.required and m.reported_as = 'values')), '[]')
               from marker_analytes ma join analytes a on a.id = ma.analyte_id where ma.marker_id = m.id) as analytes
      from lab_tests t join lab_test_markers tm on tm.lab_test_id = t.id join markers m on m.id = tm.marker_id
     where t.team_id = ${ctx.team.id} and t.id = ${labTestId}
     order by tm.position, m.id`.execute(ctx.db);
  return rows;
}
