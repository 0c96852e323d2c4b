import type pg from 'pg';
import { importQuestions } from './import-questions.ts';
import type { Laboratory } from './laboratory-file.ts';

/** Thrown if the file contradicts the database or itself. */
export class ImportRefused extends Error {}

/** Ids of analytes by the code with which the laboratory reports the analyte. */
export type AnalyteIds = Map<string, number>;

type Owner = Pick<pg.Client, 'query'>;

/**
 * Inserts a laboratory and its catalogue, or updates them. The service itself can only read the catalogue, so this runs
 * in a transaction of the database owner. A stored marker that the file lacks stays, because orders refer to it. But
 * clients cannot order that marker by itself after the import.
 */
export async function importLaboratory(
  owner: Owner,
  file: Laboratory,
): Promise<{ lab_id: number; analytes: AnalyteIds }> {
  await owner.query('lock table labs, markers, analytes, marker_questions in share row exclusive mode');
  const labId = await upsertLab(owner, file);
  await owner.query('update markers set a_la_carte_enabled = false where lab_id = $1', [labId]);
  const analytes: AnalyteIds = new Map();
  for (const marker of file.markers) {
    const markerId = await upsertMarker(owner, labId, marker);
    if (!file.shouldRetainQuestions) await importQuestions(owner, markerId, marker.questions ?? []);
    await owner.query('delete from marker_analytes where marker_id = $1', [markerId]);
    for (const [position, analyte] of marker.analytes.entries()) {
      const analyteId = await upsertAnalyte(owner, analyte);
      const known = analytes.get(analyte.code);
      if (known !== undefined && known !== analyteId) {
        throw new ImportRefused(`The code ${JSON.stringify(analyte.code)} stands for two different analytes.`);
      }
      analytes.set(analyte.code, analyteId);
      await owner.query(
        `insert into marker_analytes (marker_id, analyte_id, position, required, normal_words, abnormal_words)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
        [
          markerId,
          analyteId,
          position,
          analyte.required ?? true,
          analyte.normal_words ?? [],
          analyte.abnormal_words ?? [],
        ],
      );
    }
  }
  return { lab_id: labId, analytes };
}

async function upsertLab(owner: Owner, { laboratory: lab, max_lengths }: Laboratory): Promise<number> {
  const { account_required, physician_required } = lab;
  const { rows } = await owner.query<{ id: number; connection: string }>(
    'select id, connection from labs where slug = $1',
    [lab.slug],
  );
  if (rows[0]?.connection === 'simulated') {
    throw new ImportRefused(`The laboratory ${lab.slug} is one of the sandbox's simulated ones. Choose another slug.`);
  }
  const { rows: written } = await owner.query<{ id: number }>(
    `insert into labs (id, slug, name, first_line_address, city, state, zipcode, clia_number, collection_methods,
       sample_types, connection, states, order_rules)
     values (coalesce($1, (select coalesce(max(id), 0) + 1 from labs)), $2, $3, $4, $5, $6, $7, $8, $9, $10, 'hl7',
       $11, $12)
     on conflict (id) do update set name = excluded.name, first_line_address = excluded.first_line_address,
       city = excluded.city, state = excluded.state, zipcode = excluded.zipcode, clia_number = excluded.clia_number,
       collection_methods = excluded.collection_methods, sample_types = excluded.sample_types,
       states = excluded.states, order_rules = excluded.order_rules
     returning id`,
    [
      rows[0]?.id ?? null,
      lab.slug,
      lab.name,
      lab.first_line_address,
      lab.city,
      lab.state,
      lab.zipcode,
      lab.clia_number ?? null,
      lab.collection_methods,
      lab.sample_types,
      lab.states ?? null,
      JSON.stringify({ account_required, physician_required, max_lengths }),
    ],
  );
  return (written[0] as { id: number }).id;
}

async function upsertMarker(owner: Owner, labId: number, marker: Laboratory['markers'][number]): Promise<number> {
  const { rows } = await owner.query<{ id: number }>(
    `insert into markers (id, lab_id, name, slug, description, provider_id, type, unit, price, a_la_carte_enabled,
       common_tat_days, worst_case_tat_days, reported_as)
     values ((select coalesce(max(id), 0) + 1 from markers), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (lab_id, provider_id) do update set name = excluded.name, slug = excluded.slug,
       description = excluded.description, type = excluded.type, unit = excluded.unit, price = excluded.price,
       a_la_carte_enabled = excluded.a_la_carte_enabled, common_tat_days = excluded.common_tat_days,
       worst_case_tat_days = excluded.worst_case_tat_days, reported_as = excluded.reported_as
     returning id`,
    [
      labId,
      marker.name,
      marker.slug,
      marker.description ?? null,
      marker.provider_id,
      marker.type ?? 'biomarker',
      marker.analytes.length === 1 ? (marker.analytes[0]?.unit ?? null) : null,
      marker.price ?? null,
      marker.a_la_carte_enabled ?? true,
      marker.common_tat_days ?? null,
      marker.worst_case_tat_days ?? null,
      marker.reported_as ?? 'values',
    ],
  );
  return (rows[0] as { id: number }).id;
}

/**
 * Inserts an analyte, or finds the stored one. Laboratories share analytes. If the analyte already exists, its LOINC
 * code must be the same as in the file.
 */
async function upsertAnalyte(
  owner: Owner,
  analyte: Laboratory['markers'][number]['analytes'][number],
): Promise<number> {
  const loinc = analyte.loinc_code ?? null;
  const { rows: known } = await owner.query<{ id: number; loinc_code: string | null }>(
    'select id, loinc_code from analytes where slug = $1',
    [analyte.slug],
  );
  if (known[0]) {
    if (loinc !== null && known[0].loinc_code !== null && known[0].loinc_code !== loinc) {
      throw new ImportRefused(`The analyte ${analyte.slug} already has the LOINC code ${known[0].loinc_code}.`);
    }
    return known[0].id;
  }
  const { rows } = await owner.query<{ id: number }>(
    `insert into analytes (id, name, slug, loinc_code, unit, result_type)
     values ((select coalesce(max(id), 0) + 1 from analytes), $1, $2, $3, $4, $5) returning id`,
    [analyte.name, analyte.slug, loinc, analyte.unit ?? null, analyte.result_type ?? 'numeric'],
  );
  return (rows[0] as { id: number }).id;
}
