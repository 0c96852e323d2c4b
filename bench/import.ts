// Measures the import of an export of Apple Health: how many records it stores a second, how much memory its process
// and the service use, and how long requests of another team take meanwhile. Compares these requests with the same
// beside unrelated processes that use as much processor time.
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { writeAppleExport } from './apple-export.ts';
import { describeMachine, median } from './describe-machine.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';
import { callerOf, type Call } from './order-traffic.ts';
import { judge } from './judge.ts';
import { besideUnrelatedLoad, measureBusy } from './unrelated-load.ts';

const RECORDS = 1_000_000;
const GOAL_MB = 300;
const GOAL_RATIO = 1.2;
const REQUESTS_A_SECOND = 50;
/** Each window of this length has its own quantiles. There are windows until the import ends; without it, three. */
const WINDOW_MS = 15_000;
const WINDOWS = 3;

type Import = { status: string; progress: number; created: number; skipped: number; error: { code: string } | null };

/** Imports a million records, or as many as make `gigabytes` of XML. Returns true if every goal is reached. */
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
    return await measure(program, path, made.stored);
  } finally {
    await program.stop();
    removeFolder(folder);
  }
}

async function measure(program: MeasuredProgram, path: string, records: number): Promise<boolean> {
  const neighbour = await makeNeighbour(program);
  await latencies(neighbour); // until V8 has compiled the hot code
  const alone = await windows(neighbour);
  const before = residentMegabytes(program.pid);

  const call = callerOf(program.baseUrl, { 'x-service-api-key': program.credentials().team_api_key });
  const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'import' });
  const begun = performance.now();
  const { id } = await upload(program, user_id, path);
  const uploaded = performance.now();
  let isDone = false;
  const beside = windows(neighbour, () => isDone);
  let peak = { service: before, child: 0 };
  let done: Import;
  let reader: string | null = null;
  for (let round = 0; ; round += 1) {
    reader ??= findReader(program.pid);
    peak = {
      service: Math.max(peak.service, residentMegabytes(program.pid)),
      child: Math.max(peak.child, reader === null ? 0 : residentMegabytes(reader)),
    };
    await wait(50);
    if (round % 10 > 0) continue;
    done = await call<Import>('GET', `/v2/user/${user_id}/import/${id}`);
    if (done.status === 'success' || done.status === 'failure') break;
  }
  isDone = true;
  const seconds = (performance.now() - uploaded) / 1_000;
  const slowed = await beside;
  // The speed of the machine changes within minutes. So we measure both before and after the import.
  const after = await windows(neighbour);
  const unrelated = await besideUnrelatedLoad(slowed.busy - (alone.busy + after.busy) / 2, () => windows(neighbour));

  console.log(
    `upload ${((uploaded - begun) / 1_000).toFixed(1)} s; import ${seconds.toFixed(1)} s, ${done.status}` +
      `${done.error ? ` ${done.error.code}` : ''}: ${done.created} created, ${done.skipped} skipped, ` +
      `${Math.round(records / seconds)} records/s`,
  );
  console.log(
    `another team's requests: p50 and p99 before ${describe(alone)}, beside the import ${describe(slowed)}, ` +
      `after it ${describe(after)}, ` +
      `beside strangers ${describe(unrelated)}`,
  );
  const ratio = (2 * slowed.p99) / (alone.p99 + after.p99);
  const ofUnrelated = slowed.p99 / unrelated.p99;
  const added = peak.child + peak.service - before;
  console.log(
    `memory: the import's process ${peak.child} MB, the service ${before} MB before and at most ` +
      `${peak.service} MB meanwhile`,
  );
  return [
    judge('records that are missing', Math.abs(records - done.created), 'at most', 0),
    judge('MB for the import', added, 'at most', GOAL_MB),
    judge('p99 beside the import, of the mean of those without', ratio, 'at most', GOAL_RATIO),
    judge('p99 beside the import, of that beside strangers', ofUnrelated, 'at most', GOAL_RATIO),
  ].every(Boolean);
}

/** Times of the requests, and the number of busy processors meanwhile. */
type Latencies = { p50: number; p99: number; busy: number };

const describe = ({ p50, p99, busy }: Latencies): string =>
  `${p50.toFixed(1)} and ${p99.toFixed(1)} ms (${busy.toFixed(2)} processors busy)`;

/** Makes another team, and returns its API client. */
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

/** Returns the medians of three windows, or of all windows until `isOver` returns true. */
async function windows(call: Call, isOver?: () => boolean): Promise<Latencies> {
  const taken: Latencies[] = [];
  while (isOver ? !isOver() : taken.length < WINDOWS) taken.push(await latencies(call));
  const of = (key: keyof Latencies): number => median(taken.map((each) => each[key]));
  return { p50: of('p50'), p99: of('p99'), busy: of('busy') };
}

/** Sends write requests at a fixed rate for one window, without waiting for the response to the one before. */
async function latencies(call: Call): Promise<Latencies> {
  const busy = measureBusy();
  const took: number[] = [];
  const underWay: Promise<void>[] = [];
  const end = performance.now() + WINDOW_MS;
  for (let at = performance.now(); at < end; at += 1_000 / REQUESTS_A_SECOND) {
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
  return { p50: at(0.5), p99: at(0.99), busy: busy() };
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

/** Returns the memory of the machine that the process holds (VmRSS). */
function residentMegabytes(pid: number | string): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0; // it ended
  }
}

/** Returns the id of the process that reads the file. The search takes milliseconds, so the caller stores the id. */
function findReader(parent: number): string | null {
  const isReader = (pid: string): boolean => {
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('files/parse/child') &&
        Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) === parent
      );
    } catch {
      return false; // it ended meanwhile
    }
  };
  return readdirSync('/proc').find((name) => /^\d+$/.test(name) && isReader(name)) ?? null;
}
