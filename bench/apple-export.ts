// Writes an export of Apple's Health app of any size, packed as the phone packs it.
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

const NAME = Buffer.from('apple_health_export/export.xml');
const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
]>
<HealthData locale="en_US">
`;
const TAIL = '</HealthData>\n';
const RECORDS_A_CHUNK = 5_000;
const FROM = Date.UTC(2016, 0, 1);

const KINDS = [
  { type: 'HeartRate', unit: 'count/min', value: (n: number) => 50 + (n % 90) },
  { type: 'HeartRate', unit: 'count/min', value: (n: number) => 55 + (n % 70) },
  { type: 'ActiveEnergyBurned', unit: 'Cal', value: (n: number) => ((n * 7_919) % 1_000) / 250 },
  { type: 'StepCount', unit: 'count', value: (n: number) => n % 130 },
];

/** Returns record `n`, as a watch writes it. There is a record each half minute, and 5,000 in a row have one type. */
function record(n: number): string {
  const { type, unit, value } = KINDS[Math.floor(n / RECORDS_A_CHUNK) % KINDS.length] as (typeof KINDS)[number];
  const time = (second: number): string =>
    `${new Date(FROM + second * 1_000).toISOString().slice(0, 19).replace('T', ' ')} -0700`;
  return (
    ` <Record type="HKQuantityTypeIdentifier${type}" sourceName="Apple Watch" sourceVersion="11.2" ` +
    `device="&lt;&lt;HKDevice: 0x${(0x280000000 + (n % 4_096) * 16).toString(16)}&gt;, name:Apple Watch, ` +
    'manufacturer:Apple Inc., ' +
    `model:Watch, hardware:Watch6,1, software:11.2&gt;" unit="${unit}" creationDate="${time(n * 30 + 20)}" ` +
    `startDate="${time(n * 30)}" endDate="${time(n * 30 + 15)}" value="${value(n)}"/>\n`
  );
}

/**
 * Returns a night of thirty sleep stages and a workout, which begin at the time of record `n`. The parser has both in
 * memory until the end of the file.
 */
function nightAndWorkout(n: number): string {
  const begin = FROM + n * 30_000;
  const time = (second: number): string =>
    `${new Date(begin + second * 1_000).toISOString().slice(0, 19).replace('T', ' ')} -0700`;
  const stages = Array.from(
    { length: 30 },
    (_, stage) =>
      ' <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Apple Watch" ' +
      'device="&lt;&lt;HKDevice: 0x1&gt;, name:Apple Watch&gt;" ' +
      `startDate="${time(stage * 900)}" endDate="${time(stage * 900 + 900)}" ` +
      `value="HKCategoryValueSleepAnalysisAsleep${['Core', 'Deep', 'REM'][stage % 3]}"/>\n`,
  );
  const workout =
    ' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Apple Watch" ' +
    `startDate="${time(40_000)}" ` +
    `endDate="${time(43_600)}"><WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" ` +
    `sum="310" unit="Cal"/></Workout>\n`;
  return stages.join('') + workout;
}

/**
 * Writes records until one of the limits in `until` is reached, with a night and a workout after each 5,000 records.
 * `stored` is the number of rows that an import makes of the file. Sizes and checksum are known only at the end, and
 * are then written into the header.
 */
export async function writeAppleExport(
  path: string,
  until: { records: number; bytes: number },
): Promise<{ records: number; stored: number; bytes: number; packed: number }> {
  const file = await open(path, 'w');
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), NAME]);
  await file.write(local);
  let [records, summaries, bytes, sum, packed] = [0, 0, 0, 0, 0];
  const deflate = createDeflateRaw({ level: 6 });
  const written = (async () => {
    for await (const chunk of deflate as AsyncIterable<Buffer>) {
      packed += chunk.length;
      await file.write(chunk);
    }
  })();
  const put = async (text: string): Promise<void> => {
    const chunk = Buffer.from(text);
    sum = crc32(chunk, sum);
    bytes += chunk.length;
    if (!deflate.write(chunk)) await once(deflate, 'drain');
  };
  await put(HEAD);
  while (records < until.records && bytes < until.bytes) {
    let text = '';
    for (let n = 0; n < RECORDS_A_CHUNK && records < until.records; n += 1) text += record(records++);
    await put(text + nightAndWorkout(records));
    summaries += 2;
  }
  await put(TAIL);
  deflate.end();
  await written;

  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  about.writeUInt16LE(8, 4);
  about.writeUInt32LE(sum, 10);
  about.writeUInt32LE(packed, 14);
  about.writeUInt32LE(bytes, 18);
  about.writeUInt16LE(NAME.length, 22);
  await file.write(about, 0, about.length, 4);
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), about, Buffer.alloc(14), NAME]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + packed, 16);
  const offset = local.length + packed;
  await file.write(central, 0, central.length, offset);
  await file.write(end, 0, end.length, offset + central.length);
  await file.close();
  return { records, stored: records + summaries, bytes, packed };
}
