// One thing has one name. The words on the left were ours alone, or meant several things; docs/glossary.md has today's
// words.
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { openMetrics } from '../src/metrics.ts';

/** Retired words with what to write instead. */
const RETIRED: Record<string, string> = {
  lane: 'endpoint queue',
  receiver: 'endpoint',
  tell: 'publish, report, notify or log',
  told: 'published, reported, notified or logged',
  teller: 'what it does',
  place: 'slot, permit, position, path or location',
  turn: 'round, or round robin',
  hint: 'notification',
  wall: 'row-level-security policy',
  walled: 'secured',
  wing: 'module',
  room: 'module, or capacity',
  verb: 'service function',
  news: 'update, or provider event',
  settle: 'record the outcome',
  settled: 'recorded',
  settler: 'outcome writer',
  unsettled: 'unrecorded',
  patrol: 'poll',
  patrolled: 'polled',
  scan: 'poll',
  scanned: 'polled',
  scanning: 'polling',
  hold: 'defer, lease or lock',
  held: 'deferred, leased or locked',
  hinted: 'notified',
  keep: 'store, retain or cache',
  kept: 'stored, retained or cached',
  puller: 'importer',
  piece: 'chunk',
  bulk: 'batch',
  little: 'interactive',
  stranger: 'anonymous caller',
};

/** Names that bear such a word in its ordinary sense, or that we did not choose. */
const ALLOWED: [RegExp, string][] = [
  [/^(keep_?alive|max_keep_?alive|open_?keep_?alive)/i, 'HTTP and TCP keep-alive'],
  [/^allSettled$/, 'of JavaScript'],
  [
    /^(writeEarlyHints|BROTLI_PARAM_SIZE_HINT|DecodeHintType|hint)$/,
    'of Node.js, a barcode reader, PostgreSQL, the interface',
  ],
  [
    /^(list|record|open)?_?bulk(_?(op|export|import|pause|trigger)|$)/i,
    'the interface calls these operations bulk operations',
  ],
  [/(^|_|carrier)scans?(_|[A-Z]|$)|^(add|store|follow)[-_]?scans|Scans?$/i, 'carriers scan parcels'],
  [
    /^hold(_?(order|laboratory|command)|$)|^is_?lab_?held$|^held_(by|at)$/i,
    'the interface holds and releases laboratory orders',
  ],
  [/^place_?order/i, 'orders are placed'],
  [/^is_held$/, 'a member of stored results'],
  [/^value_told_twice$/, 'a code that operators know'],
  [/^(readOnly|openWorld)Hint$/, 'of the Model Context Protocol'],
  [/^bulk\.test$/, 'the interface calls these operations bulk operations'],
];

/** Folders in which a response is never called an answer. Elsewhere patients answer the questions of laboratories. */
const WITHOUT_ANSWERS = /^src\/(http|outbound|wearables\/providers)\//;
/** Codes on the wire, as keys of their statuses. */
const CODES_WITH_ANSWER = new Set(['aoe_answer_invalid', 'aoe_answer_missing', 'idempotency_answer_ended']);

const parts = (name: string): string[] =>
  name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((part) => part.toLowerCase())
    .map((part) => (part.replace(/s$/, '') in RETIRED && !(part in RETIRED) ? part.replace(/s$/, '') : part));
const retiredIn = (name: string): string[] => parts(name).filter((part) => Object.hasOwn(RETIRED, part));
const isAllowed = (name: string): boolean => ALLOWED.some(([pattern]) => pattern.test(name));

/** What clients of the interface see: such names stay. */
const wire = new Set<string>();
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as unknown;
function collect(value: unknown): void {
  if (typeof value === 'string') {
    if (/^[\w.-]+$/.test(value)) wire.add(value);
  } else if (Array.isArray(value)) for (const each of value) collect(each);
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      wire.add(key);
      collect(each);
    }
}
collect(document);

const FOLDERS = ['src', 'packages', 'examples', 'test', 'bench'];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
).filter((file) => !/node_modules|hl7-corpus|^test\/(releases|retired-words)/.test(file));

function identifiersIn(file: string): Set<string> {
  const names = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(walk);
    const { type, name } = node as { type?: string; name?: unknown };
    if ((type === 'Identifier' || type === 'PrivateIdentifier') && typeof name === 'string') names.add(name);
    for (const value of Object.values(node)) walk(value);
  };
  walk(parseSync(file, readFileSync(file, 'utf8')).program);
  return names;
}

const describeFound = (where: string, name: string): string =>
  `${where}: ${name} (${retiredIn(name)
    .map((word) => `${word}: ${RETIRED[word]}`)
    .join('; ')})`;

describe('a retired word is', () => {
  test('in no identifier, and so in no table or column', () => {
    const sources = files.filter((file) => file.endsWith('.ts'));
    const found = sources.flatMap((file) =>
      [...identifiersIn(file)]
        .filter((name) => retiredIn(name).length > 0 && !wire.has(name) && !isAllowed(name))
        .map((name) => describeFound(file, name)),
    );
    expect(found).toEqual([]);
    expect(sources.length).toBeGreaterThan(1_500);
  });

  test('not replaced by "answer", where "response" is meant', () => {
    const sources = files.filter((file) => WITHOUT_ANSWERS.test(file) && /(?<!\.test)\.ts$/.test(file));
    const found = sources.flatMap((file) =>
      [...identifiersIn(file)]
        .filter((name) => /answer/i.test(name) && !CODES_WITH_ANSWER.has(name))
        .map((name) => `${file}: ${name} (response)`),
    );
    expect(found).toEqual([]);
    expect(sources.length).toBeGreaterThan(100);
  });

  test('in no name of a file or folder', () => {
    const names = new Set(files.flatMap((file) => file.replace(/\.\w+$/, '').split('/')));
    const found = [...names].filter((name) => retiredIn(name).length > 0 && !isAllowed(name.replaceAll('-', '_')));
    expect(found.map((name) => describeFound('a file', name))).toEqual([]);
  });

  test('in no description of a metric', async () => {
    const metrics = await openMetrics().registry.getMetricsAsJSON();
    const strict =
      /\b(lanes?|receivers?|told|walls?|wings?|verbs?|news|settled?|patrols?|pullers?|strangers?|held|turns?)\b/;
    expect(metrics.filter(({ help }) => strict.test(help)).map(({ name, help }) => `${name}: ${help}`)).toEqual([]);
    expect(metrics.length).toBeGreaterThan(20);
  });
});
