// How many records a second an import of Apple's export stores, how much memory its process and the service take meanwhile,
// and how long another team's requests take beside it.
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { writeAppleExport } from './apple-export.ts';
import { describeMachine } from './environment.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';
import { callerOf, type Call } from './order-traffic.ts';

const RECORDS = 1_000_000;
const GOAL_MB = 300;
const GOAL_RATIO = 1.2;
const REQUESTS_A_SECOND = 50;
const ALONE_MS = 20_000;

type Import = { status: string; progress: number; created: number; skipped: number; error: { code: string } | null };

/** Of a million records, or of as many as make `gigabytes` of XML. True where every goal is reached. */
export async function benchImport({ gigabytes }: { gigabytes: number | null }): Promise<boolean> {
  console.log(describeMachine());
  const folder = makeFolder();
  const path = join(folder, 'export.zip');
  const made = await writeAppleExport(
    path,
    gigabytes === null ? { records: RECORDS, bytes: Infinity } : { records: Infinity, bytes: gigabytes * 1e9 },
  );
  console.log(
    `an export of ${made.records} records: ${megabytes(made.bytes)} MB of XML, ${megabytes(made.packed)} MB packed`,
  );
  const program = await startMeasured(folder, [process.execPath, '--max-old-space-size=512', 'bin/start.mjs']);
  try {
    return await measure(program, path, made.records);
  } finally {
    await program.stop();
    removeFolder(folder);
  }
}

async function measure(program: MeasuredProgram, path: string, records: number): Promise<boolean> {
  const neighbour = await makeNeighbour(program);
  await latencies(neighbour, ALONE_MS, () => false); // until V8 has compiled what is busy
  const alone = await latencies(neighbour, ALONE_MS, () => false);
  const before = residentMegabytes(program.pid);

  const call = callerOf(program.baseUrl, { 'x-service-api-key': program.credentials().team_api_key });
  const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'import' });
  const begun = performance.now();
  const { id } = await upload(program, user_id, path);
  const uploaded = performance.now();
  let isDone = false;
  const beside = latencies(neighbour, Infinity, () => isDone);
  let peak = { service: before, child: 0 };
  let done: Import;
  for (let turn = 0; ; turn += 1) {
    peak = {
      service: Math.max(peak.service, residentMegabytes(program.pid)),
      child: Math.max(peak.child, childMegabytes(program.pid)),
    };
    await wait(50);
    if (turn % 10 > 0) continue;
    done = await call<Import>('GET', `/v2/user/${user_id}/import/${id}`);
    if (done.status === 'success' || done.status === 'failure') break;
  }
  isDone = true;
  const seconds = (performance.now() - uploaded) / 1_000;
  const slowed = await beside;
  // The machine is another one after minutes: beside lies between the two.
  const after = await latencies(neighbour, ALONE_MS, () => false);

  console.log(
    `upload ${((uploaded - begun) / 1_000).toFixed(1)} s; import ${seconds.toFixed(1)} s, ${done.status}` +
      `${done.error ? ` ${done.error.code}` : ''}: ${done.created} created, ${done.skipped} skipped, ${Math.round(records / seconds)} records/s`,
  );
  console.log(
    `another team's requests: p50 and p99 before ${told(alone)}, beside the import ${told(slowed)}, after it ${told(after)}`,
  );
  const ratio = (2 * slowed.p99) / (alone.p99 + after.p99);
  const added = peak.child + peak.service - before;
  const goals: [string, boolean][] = [
    [`everything is there: ${done.created} of ${records}`, done.created === records],
    [
      `memory: the import's process ${peak.child} MB, the service ${before} MB before and at most ${peak.service} MB meanwhile: ` +
        `${added} MB for the import (goal ${GOAL_MB} MB)`,
      added <= GOAL_MB,
    ],
    [
      `p99 beside the import ${ratio.toFixed(2)} times the mean of those without (goal ${GOAL_RATIO})`,
      ratio <= GOAL_RATIO,
    ],
  ];
  for (const [what, reached] of goals) console.log(`${reached ? 'reached' : 'MISSED '} ${what}`);
  return goals.every(([, reached]) => reached);
}

const told = ({ p50, p99 }: { p50: number; p99: number }): string => `${p50.toFixed(1)} and ${p99.toFixed(1)} ms`;

/** A caller of a team of its own. */
async function makeNeighbour({ baseUrl, credentials }: MeasuredProgram): Promise<Call> {
  const { org_id, management_key } = credentials();
  const manage = callerOf(baseUrl, { 'x-management-key': management_key });
  const team = await manage<{ id: string }>('POST', `/v1/org/${org_id}/team`, { name: 'Neighbour', region: 'us' });
  const { value } = await manage<{ value: string }>('POST', `/v1/org/${org_id}/team_api_keys/sandbox/us`, {
    label: 'bench',
    team_id: team.id,
  });
  return callerOf(baseUrl, { 'x-service-api-key': value });
}

/** A write so many times a second, whether the last one is answered or not, for so long or until told. */
async function latencies(call: Call, ms: number, isOver: () => boolean): Promise<{ p50: number; p99: number }> {
  const took: number[] = [];
  const underWay: Promise<void>[] = [];
  const end = performance.now() + ms;
  for (let at = performance.now(); at < end && !isOver(); at += 1_000 / REQUESTS_A_SECOND) {
    await wait(Math.max(0, at - performance.now()));
    const begun = performance.now();
    const reference = `n-${begun}-${took.length}`;
    underWay.push(
      call('POST', '/v2/user', { client_user_id: reference }).then(() => void took.push(performance.now() - begun)),
    );
  }
  await Promise.all(underWay);
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function upload({ baseUrl, credentials }: MeasuredProgram, userId: string, path: string): Promise<{ id: string }> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${baseUrl}/v2/user/${userId}/import`,
      {
        method: 'POST',
        headers: {
          'x-service-api-key': credentials().team_api_key,
          'content-type': 'application/zip',
          'content-length': statSync(path).size,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more: string) => (text += more));
        response.on('end', () =>
          response.statusCode === 202 ? resolve(JSON.parse(text) as { id: string }) : reject(new Error(text)),
        );
      },
    );
    sending.on('error', reject);
    createReadStream(path).pipe(sending);
  });
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);

/** VmRSS: what the process holds of the machine's memory. */
function residentMegabytes(pid: number | string): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0; // it has ended
  }
}

/** Of the process that reads the file. */
function childMegabytes(parent: number): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('files/parse/child')) continue;
      if (Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) === parent)
        return residentMegabytes(pid);
    } catch {
      // it has ended meanwhile
    }
  }
  return 0;
}
