import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
