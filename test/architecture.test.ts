import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** What every part stands on. */
const GROUND = ['errors', 'ids', 'log', 'config', 'context', 'credentials', 'package-root', 'wire', 'db', 'privacy'];

/** The first level: what each part may import besides itself, the way down from the program to its wings to the ground. */
const PARTS: Record<string, string[]> = {
  // the program
  main: ['cli', ...GROUND],
  cli: ['serve', 'tenancy', ...GROUND],
  serve: ['api', 'http', 'jobs', 'tenancy', 'webhooks', 'delivery', 'events', ...GROUND],
  api: ['endpoints', 'openapi', 'http', 'delivery', ...GROUND],
  openapi: [
    'endpoints',
    'event-types',
    'system',
    'users',
    'insurance',
    'labs',
    'tenancy',
    'webhooks',
    'http',
    ...GROUND,
  ],
  endpoints: ['system', 'users', 'insurance', 'labs', 'tenancy', 'webhooks', 'http'],
  'event-types': ['labs', 'delivery', 'events'],
  quickstart: GROUND,
  jobs: ['http', 'webhooks', 'labs', 'insurance', 'users', 'tenancy', 'delivery', 'audit', ...GROUND],
  // the wings, higher ones first
  labs: ['insurance', 'users', 'tenancy', 'events', 'http', ...GROUND],
  insurance: ['users', 'http', ...GROUND],
  users: ['tenancy', 'audit', 'http', ...GROUND],
  webhooks: ['delivery', 'tenancy', 'events', 'http', ...GROUND],
  tenancy: ['labs', 'http', ...GROUND],
  system: ['http', ...GROUND],
  delivery: ['events', 'http', ...GROUND],
  audit: GROUND,
  http: ['tenancy', 'events', ...GROUND],
  events: GROUND,
  // the ground itself
  db: ['config', 'context', 'errors', 'log', 'package-root', 'wire', 'ids'],
  privacy: ['config', 'context', 'db', 'errors', 'log'],
  context: ['config', 'db', 'log', 'privacy'],
  wire: [],
  config: [],
  errors: [],
  credentials: [],
  ids: [],
  log: [],
  'package-root': [],
};

/** The second level: the rooms of a wing, higher ones first. A room imports only rooms that stand behind it. */
const ROOMS: Record<string, string[]> = {
  labs: ['laboratories', 'results', 'orders', 'catalogue'],
  tenancy: ['endpoints', 'orgs', 'keys', 'teams', 'schemas', 'limits'],
};

/** Of http, wings know the endpoint object and, where they work, the metrics; the rest is the transport's own. */
const PUBLIC_HTTP = new Set([
  'src/http/endpoint.ts',
  'src/http/metrics.ts',
  'src/http/answer/idempotency.ts',
  'src/http/answer/erase.ts',
]);
const WINGS = new Set(['users', 'insurance', 'labs', 'tenancy', 'webhooks', 'delivery', 'system', 'jobs']);

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file}`)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
const placeOf = (file: string): string[] => file.replace(/\.ts$/, '').split('/').slice(1);
const partOf = (file: string): string => placeOf(file)[0] as string;
const roomOf = (file: string): string => placeOf(file)[1] as string;

const edges = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) => ({
    file,
    target: normalize(join(dirname(file), target as string)),
  })),
);

test('every part of the program imports only what stands below it', () => {
  const wrong = edges
    .filter(({ file, target }) => partOf(file) !== partOf(target) && !PARTS[partOf(file)]?.includes(partOf(target)))
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(wrong).toEqual([]);
  expect(edges.length).toBeGreaterThan(100);
});

test('within a wing a room imports only rooms that stand below it', () => {
  const wrong = edges
    .filter(({ file, target }) => {
      const rooms = partOf(file) === partOf(target) ? ROOMS[partOf(file)] : undefined;
      if (!rooms || roomOf(file) === roomOf(target)) return false;
      const [from, to] = [rooms.indexOf(roomOf(file)), rooms.indexOf(roomOf(target))];
      return from === -1 || to === -1 || to < from;
    })
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(wrong).toEqual([]);
});

test('wings know the endpoint object, not the transport behind it', () => {
  const wrong = edges
    .filter(({ file, target }) => WINGS.has(partOf(file)) && partOf(target) === 'http' && !PUBLIC_HTTP.has(target))
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(wrong).toEqual([]);
});

test('only config reads the environment', () => {
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('process.env'))).toEqual([
    'src/config/environment.ts',
  ]);
});

test('no file is too long to read in one sitting', () => {
  const long = files.filter(
    (file) => !file.endsWith('db/tables.ts') && readFileSync(file, 'utf8').split('\n').length > 340,
  );
  expect(long).toEqual([]);
});

test('a test file that starts processes says so in its name, and shares no worker with the others', () => {
  const tests = ['src', 'test']
    .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => `${root}/${file}`))
    .filter((file) => file.endsWith('.test.ts'));
  const starts =
    /from '(\.\.\/)*(\.\/|test\/)(program|browser)\.ts'|import \{[^}]*\bspawn\b[^}]*\} from 'node:child_process'/;
  const unnamed = tests.filter(
    (file) => starts.test(readFileSync(file, 'utf8')) && !/\.(process|browser)\.test\.ts$/.test(file),
  );
  expect(unnamed).toEqual([]);
  expect(tests.some((file) => file.endsWith('.process.test.ts'))).toBe(true);
});
