// Checks that links, options, metrics, codes and messages in README, the guides and the pages for operators exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODES, statusOf, type Code } from '../src/http/error-response.ts';
import { openMetrics, showRequestWait } from '../src/metrics.ts';
import { OPTIONS } from '../src/config/option-table.ts';
import { FILE_OPTIONS_OF_SECRETS } from '../src/config/secret-files.ts';
import { allSources } from './source-files.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const documentsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const [GUIDES, OPERATE] = ['docs/guides', 'docs/operate'];
const workspaces = [
  'dashboard',
  ...['packages', 'examples'].flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))),
];
const documents = [
  ...documentsIn('.').filter((file) => file !== 'CHANGELOG.md'),
  ...documentsIn(GUIDES),
  ...documentsIn(OPERATE),
  ...workspaces.flatMap(documentsIn),
];

/** The anchors that GitHub makes from headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
const linksOf = (file: string): string[] =>
  [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to as string).filter((to) => !/^https?:/.test(to));

test('each link in a document points to a file, and to a heading in it', () => {
  const broken = documents.flatMap((file) =>
    linksOf(file)
      .filter((to) => {
        const [path = '', anchor] = to.split('#');
        const target = path === '' ? file : join(dirname(file), path);
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(read(target)).includes(anchor));
      })
      .map((to) => `${file}: ${to}`),
  );
  expect(broken).toEqual([]);
  expect(documents.flatMap(linksOf).length).toBeGreaterThan(100);
});

test.each([GUIDES, OPERATE])('the index of %s lists each of its pages', (folder) => {
  const listed = new Set(linksOf(join(folder, 'README.md')).map((to) => join(folder, to)));
  expect(documentsIn(folder).filter((file) => !file.endsWith('README.md') && !listed.has(file))).toEqual([]);
});

test('each package and example, and the dashboard, has a README of at most 60 lines', () => {
  for (const folder of workspaces)
    expect(read(join(folder, 'README.md')).trimEnd().split('\n').length, folder).toBeLessThanOrEqual(60);
});

test('README has at most 150 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('each option that a document names exists', () => {
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/\bPHIAL_[A-Z\d_]+\b(?!\*)/g)].map(([name]) => ({ file, name })),
  );
  const files = new Set<string>(FILE_OPTIONS_OF_SECRETS);
  const unknown = named.filter(({ name }) => !(name in OPTIONS || files.has(name)) && !/^PHIAL_TEST_|_$/.test(name));
  expect(unknown).toEqual([]);
});

describe('the pages for operators', () => {
  test('describe every metric of the program, and no other', async () => {
    const metrics = openMetrics();
    showRequestWait(metrics, { longestWaitMs: 0 });
    const known = metrics.registry.getMetricsAsArray().map(({ name }) => name);
    const documented = new Set(read(`${OPERATE}/monitor.md`).match(/\bphial_[a-z_]*[a-z]\b/g));
    expect([...documented].toSorted()).toEqual(known.filter((name) => name.startsWith('phial_')).toSorted());
  });

  test('quote messages of the program, and codes with their status', () => {
    const page = read(`${OPERATE}/troubleshoot.md`);
    const texts = allSources.map(({ text }) => text.replaceAll(/['`] \+\s+['`]/g, '')).join('\n');
    const [messages = ''] = page.split('## The API refuses requests');
    const quoted = [...messages.matchAll(/^\| `([^`]+)`/gm)].map(([, text]) => text as string);
    expect(quoted.filter((text) => !texts.includes(text))).toEqual([]);
    expect(quoted.length).toBeGreaterThan(10);
    const codes = [...page.matchAll(/(\d{3}) `(\w+)`/g)].map(
      ([, status, code]) => [code as Code, Number(status)] as const,
    );
    expect(codes.filter(([code, status]) => !CODES.includes(code) || statusOf(code) !== status)).toEqual([]);
    expect(codes.length).toBeGreaterThan(5);
  });
});
