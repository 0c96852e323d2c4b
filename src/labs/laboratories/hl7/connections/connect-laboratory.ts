import pg from 'pg';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { insertOf } from '../../../../audit/entry.ts';
import { timeZone } from '../../../../wire/time-zone.ts';
import { networksPolicy } from '../../../../outbound/address-policy.ts';
import { importLaboratory } from '../../../catalogue/import/import-laboratory.ts';
import { LaboratoryFile } from '../../../catalogue/import/laboratory-file.ts';
import { lettersOf } from '../../../results/interpretation/words.ts';
import { questionProblems } from './question-problems.ts';
import { Settings } from './settings.ts';

/** What `phial lab connect` reads: who the laboratory is, what it offers, and how it is spoken to. */
const ConnectionFile = Type.Object({ ...LaboratoryFile, hl7: Settings }, { additionalProperties: false });
type ConnectionFile = Static<typeof ConnectionFile>;

const MOST_TOLD = 20;

/** The file's contents, or every problem with them, a line each. */
export function readConnectionFile(text: string): { file: ConnectionFile } | { problems: string[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problems: ['The file is no JSON.'] };
  }
  if (!Value.Check(ConnectionFile, parsed)) {
    const errors = [...Value.Errors(ConnectionFile, parsed)].slice(0, MOST_TOLD);
    return { problems: errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`) };
  }
  const { hl7, markers } = parsed;
  const problems = [
    ...problemsOf(hl7),
    ...questionProblems(markers),
    ...wordProblems(markers),
    ...analyteProblems(markers),
  ];
  return problems.length > 0 ? { problems: problems.slice(0, MOST_TOLD) } : { file: parsed };
}

/** A word that is normal and abnormal at once. */
const analyteProblems = (markers: ConnectionFile['markers']): string[] =>
  markers.flatMap(({ analytes, reported_as }, at) =>
    analytes.length > 0 || reported_as === 'document'
      ? []
      : [`/markers/${at} needs analytes, unless it is reported_as a document.`],
  );

const wordProblems = (markers: ConnectionFile['markers']): string[] =>
  markers.flatMap(({ analytes }, marker) =>
    analytes.flatMap(({ normal_words: normal = [], abnormal_words: abnormal = [] }, at) => {
      const known = new Set(normal.map(lettersOf));
      const both = abnormal.filter((word) => known.has(lettersOf(word)));
      return both.map((word) => `/markers/${marker}/analytes/${at} calls ${JSON.stringify(word)} normal and abnormal.`);
    }),
  );

function problemsOf({ time_zone, orders, results }: Settings): string[] {
  const problems: string[] = [];
  if (timeZone(time_zone) === null) problems.push('/hl7/time_zone is no IANA time zone, as America/Phoenix.');
  if ((orders.mllp === undefined) === (orders.folder === undefined))
    problems.push('/hl7/orders needs either mllp or folder.');
  if ((results.networks ?? []).length === 0 && results.folder === undefined)
    problems.push('/hl7/results needs networks that results come from, or a folder.');
  for (const network of [...(orders.mllp?.networks ?? []), ...(results.networks ?? [])]) {
    try {
      networksPolicy([network]);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return problems;
}

/** Those that the pre-flight of orders knows; the other two are of numbers that are issued here. */
function lengthsOfOrders({ lengths = {} }: Settings): Record<string, number> {
  const { order_number: _, sample_id: __, ...ofOrders } = lengths;
  return ofOrders;
}

/** The line of the audit log: a laboratory belongs to no organisation, and has no id that the log could name. */
const CONNECTED = {
  org_id: null,
  team_id: null,
  key_id: null,
  actor: 'operator',
  action: 'lab connect',
  status: null,
  records: [],
  request_id: null,
  address: null,
};

/** Connects a laboratory, or changes how one is connected, in one transaction of the owner with its line in the audit log. */
export async function connectLaboratory(
  ownerUrl: string,
  file: ConnectionFile,
): Promise<{ markers: number; codes: number }> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phial lab connect' });
  client.on('error', () => undefined); // a lost connection fails the query that is under way
  await client.connect();
  try {
    await client.query('begin');
    const { lab_id, analytes } = await importLaboratory(client, {
      ...file,
      max_lengths: lengthsOfOrders(file.hl7),
    });
    await client.query('delete from laboratory_codes where lab_id = $1', [lab_id]);
    await client.query(
      `insert into laboratory_codes (lab_id, code, analyte_id)
       select $1, code, analyte_id from unnest($2::text[], $3::integer[]) as c (code, analyte_id)`,
      [lab_id, [...analytes.keys()], [...analytes.values()]],
    );
    await client.query(
      `insert into laboratory_connections (lab_id, settings) values ($1, $2)
       on conflict (lab_id) do update set settings = excluded.settings, updated_at = now()`,
      [lab_id, JSON.stringify(file.hl7)],
    );
    await client.query(insertOf(CONNECTED));
    await client.query('commit');
    return { markers: file.markers.length, codes: analytes.size };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}
