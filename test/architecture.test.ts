import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** What every part stands on. */
const GROUND = ['errors', 'ids', 'log', 'config', 'context', 'credentials', 'package-root', 'wire', 'db'];

/** What each part may import besides itself: the way down from the program to its slices to the ground. */
const ALLOWED: Record<string, string[]> = {
  // the program
  main: ['cli', ...GROUND],
  cli: ['serve', 'management', ...GROUND],
  serve: ['api', 'http', 'jobs', 'management', 'webhooks', 'events', ...GROUND],
  api: ['endpoints', 'openapi', 'http', 'webhooks', ...GROUND],
  openapi: ['endpoints', 'event-types', 'system', 'users', 'insurance', 'lab-tests', 'lab-orders', 'labs', 'results', 'management', 'webhooks', 'http', ...GROUND],
  endpoints: ['system', 'users', 'insurance', 'lab-tests', 'lab-orders', 'labs', 'results', 'management', 'webhooks', 'http'],
  'event-types': ['lab-orders', 'results', 'webhooks', 'events'],
  quickstart: GROUND,
  jobs: ['http', 'labs', 'lab-orders', 'users', 'webhooks', ...GROUND],
  http: ['teams', 'events', ...GROUND],
  // slices, higher ones first
  management: ['lab-tests', 'teams', 'http', ...GROUND],
  labs: ['results', 'lab-orders', 'lab-tests', 'teams', 'http', ...GROUND],
  results: ['lab-orders', 'lab-tests', 'events', 'http', ...GROUND],
  'lab-orders': ['lab-tests', 'insurance', 'users', 'events', 'http', ...GROUND],
  'lab-tests': ['teams', 'http', ...GROUND],
  insurance: ['users', 'http', ...GROUND],
  users: ['teams', 'audit', 'http', ...GROUND],
  webhooks: ['teams', 'events', 'http', ...GROUND],
  teams: GROUND,
  audit: GROUND,
  system: ['http', ...GROUND],
  events: GROUND,
  // the ground itself
  db: ['config', 'context', 'errors', 'log', 'package-root', 'wire', 'ids'],
  context: ['config', 'db', 'log'],
  wire: [],
  config: [],
  errors: [],
  credentials: [],
  ids: [],
  log: [],
  'package-root': [],
};

/** Of http, slices know the endpoint object and, where they work, the metrics; the rest is the transport's own. */
const PUBLIC_HTTP = new Set(['src/http/endpoint.ts', 'src/http/metrics.ts', 'src/http/idempotency.ts']);

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => `src/${file}`)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
const partOf = (file: string): string => (file.split('/')[1] as string).replace(/\.ts$/, '');

const edges = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)]
    .map(([, target]) => ({ file, target: normalize(join(dirname(file), target as string)) })));

test('every part of the program imports only what stands below it', () => {
  const wrong = edges.filter(({ file, target }) => partOf(file) !== partOf(target) && !ALLOWED[partOf(file)]?.includes(partOf(target)))
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(wrong).toEqual([]);
  expect(edges.length).toBeGreaterThan(100);
});

test('slices know the endpoint object, not the transport behind it', () => {
  const slices = new Set(['users', 'insurance', 'lab-tests', 'lab-orders', 'labs', 'results', 'management', 'webhooks', 'system', 'jobs']);
  const wrong = edges.filter(({ file, target }) => slices.has(partOf(file)) && partOf(target) === 'http' && !PUBLIC_HTTP.has(target))
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(wrong).toEqual([]);
});

test('only config.ts reads the environment', () => {
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('process.env'))).toEqual(['src/config.ts']);
});

test('no file is too long to read in one sitting', () => {
  const long = files.filter((file) => !file.endsWith('db/tables.ts') && readFileSync(file, 'utf8').split('\n').length > 300);
  expect(long).toEqual([]);
});
