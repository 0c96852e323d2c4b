import pg from 'pg';
import { insertOf } from '../../../../audit/entry.ts';
import { importLaboratory, ImportRefused } from '../../../catalogue/import/import-laboratory.ts';
import type { Laboratory } from '../../../catalogue/import/laboratory-file.ts';

type Snapshot = { markers: Map<string, Record<string, unknown>>; codes: Map<string, string> };

const IMPORTED = {
  org_id: null,
  team_id: null,
  key_id: null,
  person_id: null,
  actor: 'operator',
  action: 'compendium import',
  status: null,
  records: [],
  request_id: null,
  address: null,
};

/**
 * Replaces the markers and codes of a connected laboratory, in one transaction of the database owner. Returns a line
 * for each difference. A dry run returns the same lines and changes nothing. A stored marker that the file lacks stays,
 * but clients cannot order it by itself after the import. The stored questions of markers do not change.
 */
export async function importCompendium(
  ownerUrl: string,
  { slug, markers, dryRun }: { slug: string; markers: Laboratory['markers']; dryRun: boolean },
): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phial compendium import' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    await client.query('begin');
    const laboratory = await laboratoryOf(client, slug);
    const before = await snapshotOf(client, slug);
    const { lab_id, analytes } = await importLaboratory(client, {
      ...laboratory,
      markers,
      shouldRetainQuestions: true,
    });
    await client.query('delete from laboratory_codes where lab_id = $1', [lab_id]);
    await client.query(
      `insert into laboratory_codes (lab_id, code, analyte_id)
       select $1, code, analyte_id from unnest($2::text[], $3::integer[]) as c (code, analyte_id)`,
      [lab_id, [...analytes.keys()], [...analytes.values()]],
    );
    const changes = changesBetween(before, await snapshotOf(client, slug));
    if (!dryRun) await client.query(insertOf(IMPORTED));
    await client.query(dryRun ? 'rollback' : 'commit');
    return changes;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}

async function laboratoryOf(client: pg.Client, slug: string): Promise<Omit<Laboratory, 'markers'>> {
  const { rows } = await client.query<Record<string, unknown> & { order_rules: Record<string, unknown> }>(
    `select slug, name, first_line_address, city, state, zipcode, clia_number, collection_methods, sample_types,
      states, order_rules
       from labs join laboratory_connections c on c.lab_id = labs.id where slug = $1`,
    [slug],
  );
  const [row] = rows;
  if (!row) throw new ImportRefused(`No laboratory ${slug} is connected. Run phial lab connect first.`);
  const { order_rules, ...laboratory } = row;
  const { account_required, physician_required, max_lengths } = order_rules;
  return {
    laboratory: { ...laboratory, account_required, physician_required },
    ...(max_lengths ? { max_lengths } : {}),
  } as never;
}

async function snapshotOf(client: pg.Client, slug: string): Promise<Snapshot> {
  const { rows } = await client.query<{ provider_id: string; shown: Record<string, unknown> }>(
    `select m.provider_id, jsonb_build_object('slug', m.slug, 'name', m.name, 'description', m.description,
      'type', m.type,
            'price', m.price, 'orderable', m.a_la_carte_enabled, 'common_tat_days', m.common_tat_days,
            'worst_case_tat_days', m.worst_case_tat_days, 'values', (
              select coalesce(string_agg(a.slug || case when ma.required then '' else '?' end,
                ' ' order by ma.position), '')
                from marker_analytes ma join analytes a on a.id = ma.analyte_id where ma.marker_id = m.id)) as shown
       from markers m join labs on labs.id = m.lab_id where labs.slug = $1`,
    [slug],
  );
  const { rows: codes } = await client.query<{ code: string; slug: string }>(
    `select c.code, a.slug from laboratory_codes c join labs on labs.id = c.lab_id
      join analytes a on a.id = c.analyte_id
      where labs.slug = $1`,
    [slug],
  );
  return {
    markers: new Map(rows.map(({ provider_id, shown }) => [provider_id, shown])),
    codes: new Map(codes.map(({ code, slug: analyte }) => [code, analyte])),
  };
}

function changesBetween(before: Snapshot, after: Snapshot): string[] {
  const lines: string[] = [];
  for (const [provider, now] of after.markers) {
    const then = before.markers.get(provider);
    if (!then) lines.push(`+ marker ${provider}: ${String(now['name'])}`);
    else {
      const changed = Object.keys(now).filter((name) => JSON.stringify(now[name]) !== JSON.stringify(then[name]));
      for (const name of changed)
        lines.push(`~ marker ${provider}: ${name} ${JSON.stringify(then[name])} to ${JSON.stringify(now[name])}`);
    }
  }
  for (const [code, analyte] of after.codes) {
    const then = before.codes.get(code);
    if (then === undefined) lines.push(`+ code ${code}: ${analyte}`);
    else if (then !== analyte) lines.push(`~ code ${code}: ${then} to ${analyte}`);
  }
  for (const code of before.codes.keys()) if (!after.codes.has(code)) lines.push(`- code ${code}`);
  return lines;
}
