// Files in the formats of phones and watches, with invented people and values.
import type { Team, TestApp } from './test-app.ts';
import { makeArchive } from './make-archive.ts';

export type FileImport = {
  id: string;
  user_id: string;
  kind: string;
  status: string;
  bytes: number;
  progress: number;
  created: number;
  updated: number;
  unchanged: number;
  outside_ingestion_bounds: number;
  skipped: number;
  skipped_by_type: { type: string; reason: string; records: number }[];
  error: { code: string; message: string } | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
};

/** Sends a file of a user as it is. The answer is checked against its schema, as always. */
export const upload = <T = FileImport & { code: string }>(
  team: Team,
  userId: string,
  file: string | Buffer,
  type = 'application/octet-stream',
): ReturnType<typeof team.api<T>> =>
  team.api<T>('POST', `/v2/user/${userId}/import`, undefined, {
    raw: file as string,
    headers: { 'content-type': type },
  });

/** Sends a file and runs its import to the end. */
export async function importFile(app: TestApp, userId: string, file: string | Buffer, team = app.team) {
  const { body } = await upload(team, userId, file);
  await app.runJobs();
  return (await team.api<FileImport>('GET', `/v2/user/${userId}/import/${body.id}`)).body;
}

/** A person without any personal details. */
const ME =
  'HKCharacteristicTypeIdentifierDateOfBirth="" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet" ' +
  'HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"';

/** The document of an export of Apple's Health app with these elements. */
export const appleDocument = (elements: string[], me = ME): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
]>
<HealthData locale="en_US">
 <ExportDate value="2026-02-01 08:00:00 -0700"/>
 <Me ${me}/>
${elements.join('\n')}
</HealthData>
`;

export const appleExport = (
  elements: string[],
  { me, beside = {} }: { me?: string; beside?: Record<string, string> } = {},
): Buffer =>
  makeArchive([
    { name: 'apple_health_export/export_cda.xml', content: '<ClinicalDocument/>' },
    { name: 'apple_health_export/export.xml', content: appleDocument(elements, me) },
    ...Object.entries(beside).map(([name, content]) => ({ name: `apple_health_export/${name}`, content })),
  ]);

const WATCH =
  '&lt;&lt;HKDevice: 0x28301a8f0&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1&gt;';

/** A record; `within` is its metadata. */
export function appleRecord(
  type: string,
  {
    value,
    unit = 'count',
    start = '2026-01-05 07:00:00 -0700',
    end = start,
    device = WATCH,
    source = 'Apple Watch of Grace',
    within = [],
  }: {
    value?: number | string;
    unit?: string;
    start?: string;
    end?: string;
    device?: string | null;
    source?: string;
    within?: string[];
  },
): string {
  const attributes = {
    type,
    sourceName: source,
    sourceVersion: '11.2',
    device,
    unit: type.startsWith('HKQuantity') ? unit : null,
    creationDate: start,
    startDate: start,
    endDate: end,
    value,
  };
  const text = Object.entries(attributes)
    .filter(([, each]) => each !== null && each !== undefined)
    .map(([name, each]) => ` ${name}="${each}"`)
    .join('');
  return within.length === 0 ? ` <Record${text}/>` : ` <Record${text}>\n  ${within.join('\n  ')}\n </Record>`;
}

export const typedIn = '<MetadataEntry key="HKWasUserEntered" value="1"/>';

/** `minute` of the day after midnight UTC, in the format of the export. */
export const appleTime = (minute: number): string =>
  new Date(Date.UTC(2026, 0, 5) + minute * 60_000).toISOString().slice(0, 19).replace('T', ' ') + ' +0000';

export const heartRates = (count: number, more: object = {}): string[] =>
  Array.from({ length: count }, (_, n) =>
    appleRecord('HKQuantityTypeIdentifierHeartRate', {
      value: 50 + (n % 50),
      unit: 'count/min',
      start: appleTime(n),
      ...more,
    }),
  );
