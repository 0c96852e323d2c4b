import pg from 'pg';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { insertOf } from '../../../../audit/entry.ts';
import { timeZone } from '../../../../wire/time-zone.ts';
import { networksPolicy } from '../../../../outbound/address-policy.ts';
import { importLaboratory } from '../../../catalogue/import/import-laboratory.ts';
import { LaboratoryFile } from '../../../catalogue/import/laboratory-file.ts';
import { lettersOf } from '../../../results/interpretation/interpret-words.ts';
import { questionProblems } from './question-problems.ts';
import { Settings } from './connection-settings.ts';

/** The file that `phial lab connect` reads: the laboratory, its tests and the settings of the connection. */
const ConnectionFile = Type.Object({ ...LaboratoryFile, hl7: Settings }, { additionalProperties: false });
type ConnectionFile = Static<typeof ConnectionFile>;

const MAX_PROBLEMS = 20;

/** Parses the file. Returns its contents, or a list of its problems. */
export function readConnectionFile(text: string): { file: ConnectionFile } | { problems: string[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problems: ['The file is not valid JSON.'] };
  }
  if (!Value.Check(ConnectionFile, parsed)) {
    const errors = [...Value.Errors(ConnectionFile, parsed)].slice(0, MAX_PROBLEMS);
    return { problems: errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`) };
  }
  const { hl7, markers } = parsed;
  const problems = [
    ...problemsOf(hl7),
    ...questionProblems(markers),
    ...wordProblems(markers),
    ...analyteProblems(markers),
  ];
  return problems.length > 0 ? { problems: problems.slice(0, MAX_PROBLEMS) } : { file: parsed };
}

const analyteProblems = (markers: ConnectionFile['markers']): string[] =>
  markers.flatMap(({ analytes, reported_as }, at) =>
    analytes.length > 0 || reported_as === 'document'
      ? []
      : [`/markers/${at} needs analytes, unless it is reported_as a document.`],
  );

/** Finds words that the file lists both as normal and as abnormal. */
const wordProblems = (markers: ConnectionFile['markers']): string[] =>
  markers.flatMap(({ analytes }, marker) =>
    analytes.flatMap(({ normal_words: normal = [], abnormal_words: abnormal = [] }, at) => {
      const known = new Set(normal.map(lettersOf));
      const both = abnormal.filter((word) => known.has(lettersOf(word)));
      return both.map(
        (word) => `/markers/${marker}/analytes/${at} lists ${JSON.stringify(word)} as normal and as abnormal.`,
      );
    }),
  );

function problemsOf({ time_zone, orders, results }: Settings): string[] {
  const problems: string[] = [];
  if (timeZone(time_zone) === null) problems.push('/hl7/time_zone is not an IANA time zone such as America/Phoenix.');
  if ((orders.mllp === undefined) === (orders.folder === undefined))
    problems.push('/hl7/orders needs either mllp or folder.');
  if ((results.networks ?? []).length === 0 && results.folder === undefined)
    problems.push('/hl7/results needs the networks that results come from, or a folder.');
  for (const network of [...(orders.mllp?.networks ?? []), ...(results.networks ?? [])]) {
    try {
      networksPolicy([network]);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return problems;
}

/**
 * Returns the maximum lengths for the texts of orders. It omits `order_number` and `sample_id`, which are lengths of
 * numbers that we issue.
 */
function lengthsOfOrders({ lengths = {} }: Settings): Record<string, number> {
  const { order_number: _, sample_id: __, ...ofOrders } = lengths;
  return ofOrders;
}

/** The entry of the audit log. A laboratory belongs to no organisation, and it has no id that the log could name. */
const CONNECTED = {
  org_id: null,
  team_id: null,
  key_id: null,
  person_id: null,
  actor: 'operator',
  action: 'lab connect',
  status: null,
  records: [],
  request_id: null,
  address: null,
};

/**
 * Connects a laboratory or changes its connection, in one transaction of the database owner, with an entry in the audit
 * log.
 */
export async function connectLaboratory(
  ownerUrl: string,
  file: ConnectionFile,
): Promise<{ markers: number; codes: number }> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phial lab connect' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
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
