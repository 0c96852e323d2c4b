import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Owner } from '../fair/round-robin.ts';
import { LookupPermits } from './lookup-permits.ts';
import { openResolver, type NameResolver } from './open-resolver.ts';

const own = (team: string): Owner => ({ org: team, team });

let folder: string;
let hostsFile: string;
let resolver: NameResolver;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phial-hosts-'));
  hostsFile = join(folder, 'hosts');
  // Nothing answers on this port, so the resolver finds only the names of the file.
  resolver = openResolver({ servers: ['127.0.0.1:9'], hostsFile, timeoutMs: 50 });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const lookup = (name: string) => resolver.lookup(own('one'), name);
const now = performance.now.bind(performance);
let passed = 0;
const letSecondsPass = (seconds: number): void => {
  passed += seconds * 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
};

test('look-ups that begin at the same time all know the names of the hosts file', async () => {
  writeFileSync(hostsFile, '192.0.2.7 clinic.example.com # a clinic\n2001:db8::7 Clinic.example.com\n');
  const addresses = [
    { address: '192.0.2.7', family: 4 },
    { address: '2001:db8::7', family: 6 },
  ];
  const answers = await Promise.all(['clinic.example.com', 'CLINIC.example.com.', 'clinic.example.com'].map(lookup));
  expect(answers).toEqual([addresses, addresses, addresses]);
});

test('the hosts file is read again after it changed, was removed and came back', async () => {
  const write = (address: string, at: number): void => {
    writeFileSync(hostsFile, `${address} clinic.example.com\n`);
    utimesSync(hostsFile, at, at);
  };
  write('192.0.2.7', 1);
  expect(await lookup('clinic.example.com')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  write('192.0.2.8', 2);
  letSecondsPass(10);
  expect(await lookup('clinic.example.com')).toEqual([{ address: '192.0.2.8', family: 4 }]);
  rmSync(hostsFile);
  letSecondsPass(10);
  await expect(lookup('clinic.example.com')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  write('192.0.2.8', 2);
  letSecondsPass(10);
  expect(await lookup('clinic.example.com')).toEqual([{ address: '192.0.2.8', family: 4 }]);
});

/** A name server that is silent until `answerAll`. Then it answers that no such name exists. */
async function startNameServer() {
  /** The number of questions for each name. */
  const asked = new Map<string, number>();
  const late: (() => void)[] = [];
  let answers = false;
  const server = createSocket('udp4', (question, { port }) => {
    const name = nameIn(question);
    // A look-up sends two questions, for IPv4 and for IPv6 addresses. We count only the first.
    if (typeIn(question) === 1) asked.set(name, (asked.get(name) ?? 0) + 1);
    const answer = (): void => server.send(unknownName(question), port);
    if (answers) answer();
    else late.push(answer);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const answerAll = (): void => {
    answers = true;
    for (const answer of late) answer();
  };
  const servers = [`127.0.0.1:${server.address().port}`];
  return { asked, answerAll, resolver: openResolver({ servers, hostsFile, timeoutMs: 5_000 }) };
}

const namesOf = (of: NameResolver, owner: string, count: number) =>
  Array.from({ length: count }, (_, n) => of.lookup(own(owner), `${owner}-${n}.example.com`));

test('silent name servers delay other names of their owner, and never names of another owner', async () => {
  const { asked, answerAll, resolver: slow } = await startNameServer();
  const allDone = Promise.allSettled([...namesOf(slow, 'loud', 60), ...namesOf(slow, 'quiet', 1)]);
  await expect.poll(() => [...asked.keys()]).toContain('quiet-0');
  // The owner `loud` got a quarter of the 128 permits (a third of the free ones), and `quiet` got one.
  expect(asked.size).toBe(32 + 1);
  answerAll();
  await allDone;
  expect(asked.size).toBe(60 + 1);
});

test('a new owner waits at most a second when silent look-ups of other owners use all permits', async () => {
  const { asked, answerAll, resolver: slow } = await startNameServer();
  const silent = (name: string) =>
    Array.from({ length: 128 }, (_, n) => slow.lookup(own(`silent ${n}`), `${name}-${n}.example.com`));
  const first = silent('first');
  await expect.poll(() => asked.size).toBe(128);
  const allDone = Promise.allSettled([...first, ...silent('second'), ...namesOf(slow, 'quiet', 1)]);
  await expect.poll(() => [...asked.keys()], { timeout: 3_000 }).toContain('quiet-0');
  // The look-ups of `second` still wait, because their owners have look-ups under way. Only `quiet` got a permit.
  expect(asked.size).toBe(128 + 1);
  answerAll();
  await allDone;
  expect(asked.size).toBe(2 * 128 + 1);
});

test('a name that nobody awaits any more is not looked up', async () => {
  const { asked, answerAll, resolver: slow } = await startNameServer();
  const first = namesOf(slow, 'one', 32);
  await expect.poll(() => asked.size).toBe(32);
  const [given, joined] = ['given-up', 'joined'].map((name) => slow.lookup(own('one'), `${name}.example.com`, 20));
  const again = slow.lookup(own('one'), 'joined.example.com', 60_000);
  const allDone = Promise.allSettled([...first, given, joined, again]);
  const until = performance.now() + 40;
  await expect.poll(() => performance.now()).toBeGreaterThan(until);
  answerAll();
  await expect(given).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  await allDone;
  expect(asked.has('given-up')).toBe(false);
  expect(asked.get('joined')).toBe(1);
});

test('equal names at the same time cause one look-up for each owner, and a later one causes another', async () => {
  const { asked, answerAll, resolver: slow } = await startNameServer();
  const ask = (owner: string) => slow.lookup(own(owner), 'clinic.example.com');
  const together = Promise.allSettled([ask('one'), ask('one'), ask('two')]);
  await expect.poll(() => asked.get('clinic')).toBe(2);
  answerAll();
  await together;
  await expect(ask('one')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(asked.get('clinic')).toBe(3);
});

test('owners that wait get permits in round robin, however many look-ups each asks for', async () => {
  const permits = new LookupPermits(2);
  const served: string[] = [];
  const take = async (owner: string) => {
    const done = await permits.take(own(owner));
    served.push(owner);
    return done as () => void;
  };
  const taken = [await take('first'), await take('second')];
  const loud = [take('loud'), take('loud'), take('loud')];
  const quiet = [take('quiet'), take('quiet')];
  taken[0]?.();
  for (const next of [loud[0], quiet[0], loud[1], quiet[1], loud[2]]) (await next)?.();
  expect(served.slice(2)).toEqual(['loud', 'quiet', 'loud', 'quiet', 'loud']);
});

/** The first label of a question (RFC 1035 4.1.2). */
const nameIn = (question: Buffer): string => question.toString('latin1', 13, 13 + question.readUInt8(12));

/** The type of a question, which follows the name. */
function typeIn(question: Buffer): number {
  let at = 12;
  while (question.readUInt8(at) > 0) at += question.readUInt8(at) + 1;
  return question.readUInt16BE(at + 1);
}

/** An answer that no such name exists (RFC 1035 4.1.1). */
function unknownName(question: Buffer): Buffer {
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8183, 2);
  return answer;
}
