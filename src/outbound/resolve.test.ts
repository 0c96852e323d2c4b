import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openResolver, type NameResolver } from './resolve.ts';

let folder: string;
let hostsFile: string;
let resolver: NameResolver;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phial-hosts-'));
  hostsFile = join(folder, 'hosts');
  // Nobody answers there: what the file does not tell is not found.
  resolver = openResolver({ servers: ['127.0.0.1:9'], hostsFile, timeoutMs: 50 });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const lookup = (name: string) => resolver.lookup('one', name);
const now = performance.now.bind(performance);
let passed = 0;
const letSecondsPass = (seconds: number): void => {
  passed += seconds * 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
};

test('look-ups that begin together all know the names of the hosts file', async () => {
  writeFileSync(hostsFile, '192.0.2.7 clinic.example.com # a clinic\n2001:db8::7 Clinic.example.com\n');
  const addresses = [
    { address: '192.0.2.7', family: 4 },
    { address: '2001:db8::7', family: 6 },
  ];
  const answers = await Promise.all(['clinic.example.com', 'CLINIC.example.com.', 'clinic.example.com'].map(lookup));
  expect(answers).toEqual([addresses, addresses, addresses]);
});

test('the hosts file is read again when it changed, and when it went away and came back', async () => {
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

test("names that are not answered for hold up other names of their team, and never another team's", async () => {
  const asked = new Set<string>();
  const late: (() => void)[] = [];
  let answers = false;
  const server = createSocket('udp4', (question, { port }) => {
    asked.add(nameIn(question));
    const answer = (): void => server.send(unknownName(question), port);
    if (answers) answer();
    else late.push(answer);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const servers = [`127.0.0.1:${server.address().port}`];
  const slow = openResolver({ servers, hostsFile, timeoutMs: 5_000 });
  const names = (team: string, count: number) =>
    Array.from({ length: count }, (_, n) => slow.lookup(team, `${team}-${n}.example.com`));
  const settled = Promise.allSettled([...names('loud', 40), ...names('quiet', 1)]);
  await expect.poll(() => asked).toContain('quiet-0');
  // A quarter of the 64 look-ups that there may be.
  expect(asked.size).toBe(16 + 1);
  answers = true;
  for (const answer of late) answer();
  await settled;
  expect(asked.size).toBe(40 + 1);
  server.close();
});

/** The first label of a question (RFC 1035 4.1.2). */
const nameIn = (question: Buffer): string => question.toString('latin1', 13, 13 + question.readUInt8(12));

/** The answer that there is no such name (RFC 1035 4.1.1). */
function unknownName(question: Buffer): Buffer {
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8183, 2);
  return answer;
}
