import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';

/** One of the tests that an order asks its laboratory for: a marker of its lab test, with all that it brings. */
export type OrderedTest = {
  marker_id: number;
  /** Its code with the laboratory. */
  provider_id: string;
  /** Its result is a document, which may be all that comes. */
  is_document: boolean;
  analytes: { slug: string; required: boolean }[];
};

/** In the order in which they are told to the laboratory and numbered. Empty for an unknown lab test and for another team's. */
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
