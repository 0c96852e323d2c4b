import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';

/** A marker (a test that a client can order) with its observations. Only observations with a LOINC code count. */
export type Entry = {
  marker_id: number;
  lab_id: number;
  lab_slug: string;
  name: string;
  provider_id: string;
  result_names: string[];
  /** The LOINC codes, sorted, each once. */
  loinc_codes: string[];
  loinc_components: string[];
  loinc_set_hash: string;
  popularity: number;
};

type Row = Omit<Entry, 'loinc_set_hash' | 'loinc_components'> & { loinc_names: string[] };

/** Returns the markers of all laboratories, without markers that have no LOINC code. */
export async function loadCompendium(ctx: TeamCtx): Promise<Entry[]> {
  const { rows } = await sql<Row>`
    select markers.id as marker_id, markers.lab_id, labs.slug as lab_slug, markers.name, markers.provider_id,
           array_agg(a.name order by ma.position, a.id) as result_names,
           array_agg(distinct a.loinc_code order by a.loinc_code) as loinc_codes,
           array_agg(distinct coalesce(a.loinc_name, a.name)) as loinc_names,
           (select count(*)::integer from lab_test_markers ltm join lab_tests on lab_tests.id = ltm.lab_test_id
             where ltm.marker_id = markers.id and lab_tests.team_id = ${ctx.team.id}) as popularity
      from markers
      join labs on labs.id = markers.lab_id
      join marker_analytes ma on ma.marker_id = markers.id
      join analytes a on a.id = ma.analyte_id and a.loinc_code is not null
     group by markers.id, labs.id
     order by markers.id`.execute(ctx.db);
  return rows.map(({ loinc_names, ...row }) => ({
    ...row,
    loinc_components: [...new Set(loinc_names.map(componentOf))].toSorted(),
    loinc_set_hash: createHash('sha256').update(row.loinc_codes.join(' ')).digest('hex').slice(0, 32),
  }));
}

/**
 * Returns the component of a LOINC name. For `Glucose [Mass/volume] in Serum or Plasma`, which names component,
 * property and system, this is `Glucose`.
 */
const componentOf = (name: string): string => name.split(/ \[| in /)[0] as string;
