import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allSources, isUnder, placeOf, sources, workspaceFiles } from './source-files.ts';

/** What every part stands on. */
const GROUND = [
  'errors',
  'ids',
  'log',
  'log-lines',
  'config',
  'context',
  'credentials',
  'package-root',
  'wire',
  'bulk-work',
  'fair',
  'hook-bodies',
  'long-polls',
  'time-limit',
  'disk-space',
  'transient-map',
  'db',
  'privacy',
];

/** Tables of wearables, which know nothing else. Options are derived from them. */
const CATALOGUE = ['wearables/providers/catalogue', 'wearables/providers/facts', 'wearables/resources'];

/** What wings use of http; the rest is the transport's own. */
const OPERATION = ['http/areas', 'http/endpoint', 'http/media', 'http/metrics', 'http/page'];

/**
 * The first level: what each part may import besides itself, the way down from the program to its wings to the ground.
 * A part imports only parts that stand behind it in this table.
 */
const PARTS: Record<string, string[]> = {
  // the program
  main: ['cli', ...GROUND],
  cli: ['serve', 'wings', 'labs', 'wearables', 'tenancy', 'audit', 'delivery', 'events', ...GROUND],
  serve: [
    'api',
    'wings',
    'labs',
    'http',
    'jobs',
    'pipelines',
    'tenancy',
    'webhooks',
    'delivery',
    'outbound',
    'events',
    'system',
    ...OPERATION,
    ...GROUND,
  ],
  api: [
    'files',
    'endpoints',
    'openapi',
    'jobs',
    'pipelines',
    'labs',
    'http',
    'delivery',
    'mail',
    ...OPERATION,
    ...GROUND,
  ],
  // tables of contents, a line a wing
  wings: ['labs', 'wearables', 'context'],
  openapi: [
    'glossary',
    'pipelines',
    'team-export',
    'endpoints',
    'event-catalogue',
    'event-types',
    'labs',
    'wearables',
    'insurance',
    'users',
    'webhooks',
    'http',
    'tenancy',
    'system',
    ...GROUND,
  ],
  endpoints: [
    'event-catalogue',
    'team-export',
    'pipelines',
    'labs',
    'wearables',
    'insurance',
    'users',
    'webhooks',
    'tenancy',
    'system',
    ...OPERATION,
  ],
  'event-catalogue': ['glossary', 'event-types', 'http', 'webhooks'],
  'event-types': ['labs', 'wearables', 'delivery', 'events'],
  jobs: [
    'files',
    'totals',
    'pipelines',
    'labs',
    'wearables',
    'insurance',
    'users',
    'webhooks',
    'delivery',
    'events',
    'http',
    'tenancy',
    'mail',
    'audit',
    ...OPERATION,
    ...GROUND,
  ],
  'team-export': [
    'outbound',
    'pipelines',
    'labs',
    'wearables',
    'insurance',
    'users',
    'webhooks',
    'tenancy',
    'audit',
    ...OPERATION,
    ...GROUND,
  ],
  pipelines: ['webhooks', 'delivery', 'outbound', 'tenancy', 'events', ...OPERATION, ...GROUND],
  glossary: [],
  // the wings, higher ones first
  labs: ['files', 'insurance', 'users', 'outbound', 'tenancy', 'audit', 'events', ...OPERATION, ...GROUND],
  wearables: [...CATALOGUE, 'files', 'users', 'outbound', 'tenancy', 'audit', 'events', ...OPERATION, ...GROUND],
  files: ['tenancy', ...OPERATION, ...GROUND],
  insurance: ['users', 'tenancy', ...OPERATION, ...GROUND],
  users: ['delivery', 'tenancy', 'events', 'audit', ...OPERATION, ...GROUND],
  webhooks: ['delivery', 'outbound', 'tenancy', 'events', ...OPERATION, ...GROUND],
  delivery: ['outbound', 'events', ...OPERATION, ...GROUND],
  http: ['tenancy', 'audit', 'outbound', 'events', ...OPERATION, ...GROUND],
  tenancy: ['mail', 'outbound', 'audit', ...OPERATION, ...GROUND],
  system: [...OPERATION, ...GROUND],
  totals: GROUND,
  mail: ['outbound', 'http/metrics', ...GROUND],
  outbound: GROUND,
  audit: GROUND,
  events: GROUND,
  'http/endpoint': ['http/areas', 'http/media', ...GROUND],
  'http/page': ['http/media'],
  'http/areas': [],
  'http/media': [],
  'http/metrics': GROUND,
  // the ground itself
  'wearables/providers/catalogue': ['wearables/providers/*/facts', 'wearables/providers/facts', 'wearables/resources'],
  'wearables/providers/*/facts': ['wearables/providers/facts'],
  'wearables/providers/facts': [],
  'wearables/resources': ['wearables/unit-conversions'],
  'wearables/unit-conversions': [],
  credentials: [],
  db: ['config', 'context', 'errors', 'log', 'package-root', 'wire', 'ids'],
  privacy: ['config', 'context', 'db', 'errors', 'log'],
  context: ['bulk-work', 'fair', 'long-polls', 'config', 'db', 'log', 'privacy'],
  config: ['wearables/providers/catalogue', 'wearables/providers/facts'],
  'bulk-work': ['fair'],
  fair: ['transient-map'],
  'hook-bodies': ['context', 'errors', 'fair'],
  'long-polls': ['errors', 'fair'],
  'time-limit': [],
  'disk-space': [],
  'transient-map': [],
  wire: ['ids'],
  errors: [],
  ids: [],
  log: ['log-lines'],
  'log-lines': [],
  'package-root': [],
};

/** The second level: the rooms of a wing, higher ones first. A room imports only rooms that stand behind it. */
const ROOMS: Record<string, string[]> = {
  labs: [
    'endpoints',
    'erase',
    'portal',
    'laboratories',
    'documents',
    'results',
    'appointments',
    'orders',
    'places',
    'schedulers',
    'catalogue',
    'hook-bodies',
  ],
  wearables: [
    'endpoints',
    'erase',
    'aggregate',
    'files',
    'credentials',
    'link',
    'hooks',
    'pulls',
    // What an app sends connects its user: pushes stand above connections, and what they store below.
    'summaries/endpoints',
    'summaries/push',
    'timeseries/endpoints',
    'timeseries/push-samples',
    'connections',
    'providers',
    'summaries',
    'timeseries',
    'priorities',
    'providers/named',
    'providers/schemas',
    'ask-for-runs',
    'ask-for-zones',
    'refuse-pulled',
    'calendar-date',
    'range',
    'is-told',
    'one-writer',
    'fits',
    'rank',
    'source',
    'by-hand',
    'laboratory-slugs',
    'range',
  ],
  tenancy: [
    'endpoints',
    'erase',
    'access-tokens',
    'ehr',
    'members',
    'domains',
    'orgs',
    'keys',
    'teams',
    'role-bindings',
    'places',
    'schemas',
    'limits',
  ],
  webhooks: ['endpoints', 'erase', 'attempts', 'replays', 'metrics', 'receivers', 'feed', 'event-types', 'places'],
  pipelines: ['endpoints', 'erase', 'etl', 'ehr', 'refuse-address', 'mask'],
  events: ['erase', 'publish', 'held', 'notify-readers', 'filter', 'open-body', 'define', 'origin', 'names'],
  http: ['app', 'route', 'unknown-route', 'openapi', 'audit', 'answer', 'input', 'limits', 'auth', 'errors'],
  delivery: [
    'deliver',
    'starts',
    'gather',
    'replays',
    'attempts',
    'settler',
    'tallies',
    'disable',
    'exhausted',
    'receiver-cache',
    'events',
    'load-events',
    'hold',
    'requeue',
    'waiting',
    'erase',
    'settle',
    'lanes',
    'schedule',
    'sending',
  ],
};

/** A star stands for a folder of whatever name. */
const named = (part: string, place: string): string =>
  part.includes('*') ? (new RegExp(`^${part.replace('*', '[^/]+')}$`).exec(place)?.[0] ?? part) : part;
const longest = (names: string[]): string | undefined => names.toSorted((a, b) => b.length - a.length)[0];

/** Each names its part, and its room, by the longest beginning. */
const partOf = (place: string): string =>
  longest(Object.keys(PARTS).filter((part) => isUnder(place, named(part, place)))) ?? place;
const roomOf = (place: string): string => {
  const [wing = '', ...path] = place.split('/');
  return longest((ROOMS[wing] ?? []).filter((room) => isUnder(path.join('/'), room))) ?? (path[0] as string);
};

const edges = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/(?:from|import\(?)\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) => ({
    from: placeOf(file),
    to: placeOf(normalize(join(dirname(file), target as string))),
  })),
);
const told = ({ from, to }: { from: string; to: string }): string => `${from} imports ${to}`;

describe('imports point down', () => {
  test('every part of the program imports only what stands below it', () => {
    const wrong = edges.filter(({ from, to }) => {
      const [upper, lower] = [partOf(from), partOf(to)];
      return upper !== lower && !PARTS[upper]?.includes(lower);
    });
    expect(wrong.map(told)).toEqual([]);
    expect(edges.length).toBeGreaterThan(100);
  });

  test('above the ground, whose parts name one another in types, the table of parts has no circle', () => {
    const order = Object.keys(PARTS);
    const wrong = Object.entries(PARTS).flatMap(([part, below]) =>
      GROUND.includes(part)
        ? below.filter((other) => !GROUND.includes(other) && !CATALOGUE.includes(other))
        : below.filter((other) => order.indexOf(other) <= order.indexOf(part)),
    );
    expect(wrong).toEqual([]);
  });

  test('within a wing a room imports only rooms that stand below it', () => {
    const wrong = edges.filter(({ from, to }) => {
      const rooms = partOf(from) === partOf(to) ? ROOMS[partOf(from)] : undefined;
      if (!rooms || roomOf(from) === roomOf(to)) return false;
      const [upper, lower] = [rooms.indexOf(roomOf(from)), rooms.indexOf(roomOf(to))];
      return upper === -1 || lower === -1 || lower < upper;
    });
    expect(wrong.map(told)).toEqual([]);
  });

  test('the kinds of laboratories know what they share, and not each other', () => {
    const kindOf = (place: string): string => /^labs\/laboratories\/([^/]+)\//.exec(place)?.[1] ?? '';
    const kinds = new Set(edges.map(({ from }) => kindOf(from)).filter((kind) => kind !== ''));
    expect(kinds.size).toBeGreaterThan(3);
    const wrong = edges.filter(({ from, to }) => {
      if (!from.startsWith('labs/laboratories/') || !to.startsWith('labs/laboratories/')) return false;
      return kinds.has(kindOf(to)) && kindOf(to) !== kindOf(from);
    });
    expect(wrong.map(told)).toEqual([]);
  });

  test('the wearable wing and the laboratory wing do not know each other', () => {
    for (const wing of ['labs', 'wearables'])
      for (const other of ['labs', 'wearables'].filter((name) => name !== wing))
        expect(PARTS[wing] ?? []).not.toContain(other);
  });
});

describe('packages and examples stand alone', () => {
  const importsOf = (text: string): string[] =>
    [...text.matchAll(/(?:from|import\(?)\s*'([^'\n]+)'/g)].map(([, target]) => target as string);
  /** The files that a file imports by their paths. */
  const pathsOf = ({ file, text }: { file: string; text: string }): string[] =>
    importsOf(text)
      .filter((target) => target.startsWith('.'))
      .map((target) => normalize(join(dirname(file), target)));
  const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');
  type Manifest = { name: string; dependencies?: object; optionalDependencies?: object };
  const manifestOf = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const packages = readdirSync('packages').map((name) => `packages/${name}`);

  test('they import no file outside of their folder; tests of an example may start the program', () => {
    const wrong = workspaceFiles.flatMap((source) => {
      const isTestOfExample = source.file.startsWith('examples/') && source.file.endsWith('.test.ts');
      return pathsOf(source)
        .filter((path) => !isUnder(path, folderOf(source.file)) && !(isTestOfExample && isUnder(path, 'test')))
        .map((path) => `${source.file} imports ${path}`);
    });
    expect(wrong).toEqual([]);
    expect(workspaceFiles.length).toBeGreaterThan(30);
  });

  test('src imports packages by their names alone, and no example', () => {
    const wrong = sources.flatMap((source) =>
      pathsOf(source)
        .filter((path) => !isUnder(path, 'src'))
        .map((path) => `${source.file} imports ${path}`),
    );
    expect(wrong).toEqual([]);
    const named = new Set(
      sources.flatMap(({ text }) => importsOf(text).map((target) => target.split('/', 2).join('/'))),
    );
    for (const folder of packages) expect(named).toContain(manifestOf(folder).name);
  });

  test('a package lists the npm packages that it imports, and the program has each in the same version', () => {
    const ofProgram = manifestOf('.');
    const inProgram = new Map(
      Object.entries({ ...ofProgram.dependencies, ...ofProgram.optionalDependencies } as Record<string, string>),
    );
    for (const folder of packages) {
      const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
      const listed = Object.entries({ ...dependencies, ...optionalDependencies } as Record<string, string>);
      // The program is packed without the package.json of its packages: it has to bring what they need.
      for (const [name, version] of listed) expect([name, inProgram.get(name)]).toEqual([name, version]);
      const imported = workspaceFiles
        .filter(({ file }) => isUnder(file, `${folder}/src`) && !file.endsWith('.test.ts'))
        .flatMap(({ text }) => importsOf(text).filter((target) => !/^(\.|node:)/.test(target)));
      for (const name of imported) expect(Object.keys(dependencies)).toContain(name);
    }
  });
});

test('only config reads the environment', () => {
  const reading = sources.filter(({ text }) => text.includes('process.env')).map(({ file }) => file);
  expect(reading.filter((file) => !file.startsWith('src/config/'))).toEqual([]);
});

/** What works for all teams, each with its reason; everything else sees the rows of one team or organisation. */
const ACROSS_TEAMS: Record<string, string> = {
  'src/api.ts': 'metrics count deliveries and orders of laboratories',
  'src/serve.ts': 'lanes of a killed worker are taken back',
  'src/delivery/deliver.ts': 'the delivery loop',
  'src/http/auth/access.ts': 'whose a key is',
  'src/wearables/hooks/receive.ts': 'whose account a provider tells of',
  'src/wearables/connections/pause-after-last-day.ts': 'connections of all teams whose time is over',
  'src/wearables/connections/tokens/revoke.ts': 'whether anybody is connected to an account',
  'src/wearables/link/session.ts': 'whose a link token is',
  'src/wearables/link/exchange-code.ts': 'whose a link code is',
  'src/wearables/link/oauth/state.ts': 'whom a provider sends back',
  'src/jobs/retention.ts': 'retention',
  'src/totals/leave-out.ts': 'users of all teams who are scheduled for deletion',
  'src/wearables/files/set-aside.ts': 'the quota of an organisation over all of its teams',
  'src/labs/results/parser/set-aside.ts': 'the quota of an organisation over all of its teams',
  'src/files/file-queue.ts': 'whose import, or lab report, comes next',
  'src/labs/results/parser/review.ts': 'what the operator looks at',
  'src/wearables/aggregate/continuous/runs/resume.ts': 'runs of all teams that were cut off or are due',
  'src/wearables/connections/subscriptions/keep-user.ts': 'subscriptions of users of all teams that are due',
  'src/wearables/pulls/replay/replay.ts': 'payloads of all teams are mapped again',
  'src/wearables/pulls/resume.ts': 'pulls and polls of all teams that are due',
  'src/labs/orders/messages/resend.ts': 'events of all teams whose worker was killed are sent on',
  'src/labs/appointments/by-telephone/list.ts': "the operator's list of what is booked by telephone",
  'src/labs/appointments/calls/take-call.ts': 'requests to schedulers of all teams that are due',
  'src/labs/appointments/news/receive.ts': 'whose appointment a scheduler tells of',
  'src/labs/laboratories/carriers/receive.ts': 'whose parcel a carrier tells of',
  'src/labs/laboratories/carriers/follow-scans.ts': 'whether a newer order of anybody has the number of a parcel',
  'src/labs/laboratories/hl7/inbox/apply-message.ts': 'whose a result is, by the numbers issued for it',
  'src/labs/laboratories/hl7/inbox/apply-waiting.ts': 'messages of laboratories that were not applied yet',
  'src/labs/laboratories/hl7/inbox/store-message.ts': 'a message is kept before its team is known',
  'src/labs/laboratories/hl7/inbox/try-message.ts': 'counts the tries of a message before its team is known',
  'src/labs/laboratories/hl7/management/see-to-message.ts':
    'a repaired message whose numbers cannot be read stays with its team',
  'src/labs/laboratories/hl7/outbox/list-outgoing.ts': "the operator's list of what goes out",
  'src/labs/laboratories/hl7/outbox/operate.ts': 'the operator sends again, holds and releases',
  'src/labs/laboratories/hl7/outbox/send-orders.ts': 'settles what waits of a team that is gone',
  'src/labs/laboratories/hl7/outbox/take-waiting.ts': 'what waits for one laboratory, of whichever team',
  'src/labs/laboratories/hl7/queue/list.ts': "the operator's queue",
  'src/labs/laboratories/hl7/queue/repair.ts': "the operator's queue",
  'src/labs/laboratories/simulated/simulation-step.ts': 'overdue simulations of all teams are resumed',
  'src/labs/orders/under-way/activate.ts': 'the day of scheduled orders of all teams comes',
  'src/pipelines/etl/streaming/lease.ts': 'pipelines of all teams that nobody streams',
  'src/tenancy/keys/key-uses.ts': 'keys of all teams that were used',
  'src/tenancy/orgs/bootstrap.ts': 'whether there is any organisation',
  'src/tenancy/orgs/list.ts': "the operator's list of organisations",
  'src/tenancy/teams/list-all.ts': "the operator's list of teams",
  'src/mail/mails-a-day.ts': 'what one address gets of all organisations',
  'src/mail/send-mails.ts': 'mail of all organisations that is due',
  'src/jobs/run.ts': 'a job that is put off keeps the share of its organisation',
  'src/jobs/unlock.ts': 'imports of a killed process are taken back',
  'src/jobs/erase-teams.ts': 'erasure finds the deleted teams',
  'src/jobs/erase-ended.ts': 'agreements of all teams whose data is due to go',
  'src/jobs/erase-users.ts': 'erasure finds whose grace period is over',
};

test('what works across teams is written out here', () => {
  const users = sources.filter(({ file, text }) => /\bacrossTeams\(/.test(text) && file !== 'src/db/session/bind.ts');
  expect(users.map(({ file }) => file)).toEqual(Object.keys(ACROSS_TEAMS).toSorted());
});

/** Who looks at what a management key is restricted to, each with its reason; for everything else the scope has decided. */
const READS_KEYS: Record<string, string> = {
  'src/http/auth/scope.ts': 'what the scope of an operation asks of a key',
  'src/http/route.ts': 'by whom a stored answer was asked for',
  'src/tenancy/teams/find.ts': 'whether the key is bound to a team',
  'src/tenancy/keys/patch-management-key.ts': 'of the key that is changed',
  'src/tenancy/keys/revoke-management-key.ts': 'of the key that is revoked',
};

test('what a key may is asked where scopes are settled, and nowhere else', () => {
  const reading = sources.filter(({ text }) =>
    /\bkey\.(role|team_ids)\b|\{[^}]*\b(role|team_ids)\b[^}]*\} = (\w+\.)?key\b/.test(text),
  );
  expect(reading.map(({ file }) => file).toSorted()).toEqual(Object.keys(READS_KEYS).toSorted());
});

test('no closed beta is refused by hand: an operation says that it is one', () => {
  const refusing = sources.filter(({ text }) => /\brefuseClosedBeta\(/.test(text)).map(({ file }) => file);
  expect(refusing).toEqual(['src/http/auth/scope.ts', 'src/tenancy/teams/closed-beta.ts']);
});

/** Who locks by a name, or a number, that no row bears: each other one is a kind of named-lock.ts. */
const LOCKS_NAMES: Record<string, string> = {
  'packages/embedded-postgres/src/ownership.ts': 'one owner of a data directory, as long as it lives',
  'src/db/listen.ts': 'a process shows that it lives',
  'src/db/session/named-lock.ts': 'what takes turns in transactions',
  'src/db/worker-schema.ts': 'one grants at a time, in SQL of its own',
  'src/delivery/lanes/replayed.ts': 'of many teams at once those whose replays nobody holds off',
  'src/delivery/lanes/workers.ts': 'of many workers at once those that live no longer',
  'src/privacy/rotate.ts': 'one rotation of keys, over many transactions',
};

test('names are locked in one place, where no two kinds can be the same one', () => {
  const locking = allSources.filter(({ text }) => /\bpg_(try_)?advisory_/.test(text)).map(({ file }) => file);
  expect(locking).toEqual(Object.keys(LOCKS_NAMES).toSorted());
});

test('no function is written where it is given to a property: V8 makes it old at once, and all that it knows with it', () => {
  const giving = allSources.filter(({ text }) =>
    /\w\.#?\w+ \??\??= (async )?(function\b|\w+ =>|\([^()]*\)(: \w+)? =>)/.test(text),
  );
  expect(giving.map(({ file }) => file)).toEqual([]);
});

/** Ways to open a connection, by the module that has them; what only listens, or reads an address, is none. */
const WAYS_OUT: Record<string, RegExp> = {
  undici: /./,
  nodemailer: /./,
  'node:http': /^(request|get|Agent)$/,
  'node:https': /^(request|get|Agent)$/,
  'node:http2': /^connect$/,
  'node:net': /^(connect|createConnection|Socket)$/,
  'node:tls': /^(connect|TLSSocket)$/,
  'node:dgram': /./,
};

/** Who opens connections without src/outbound, each with its reason. */
const GOES_OUT: Record<string, string> = {
  'packages/hl7/example.ts': 'an example that is no part of the program',
  'examples/quickstart/service.ts': 'a client of the service, at its own address, as a customer is one',
  'src/cli/listen/forward.ts': 'a client on the machine of a developer, who typed the address',
  'src/cli/listen/read-feed.ts': 'the same, as a customer of the service',
  'src/delivery/sending/agents.ts':
    'keeps connections apart by team and origin; they are made by the vetting connector',
};

/** What of a file opens connections: names that it imports, and globals that it calls. */
function waysOutOf(text: string): string[] {
  const imports = text.matchAll(/^import (?!type )([^;]+?) from '([^']+)';/gms);
  const imported = [...imports].flatMap(([, names = '', module = '']) => {
    const way = WAYS_OUT[module.replace(/^(?=https?2?$|net$|tls$|dgram$)/, 'node:')];
    if (!way) return [];
    const named = /\{([^}]*)\}/.exec(names)?.[1];
    if (named === undefined) return [`${module} as a whole`];
    return named
      .split(',')
      .map((name) => name.trim().split(' as ')[0] ?? '')
      .filter((name) => name !== '' && !name.startsWith('type ') && way.test(name));
  });
  const code = text.replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '');
  return [...imported, ...(code.match(/(?<![.\w])(globalThis\.)?fetch\(|\bnew (WebSocket|EventSource)\(/g) ?? [])];
}

test('every connection to the outside is made by src/outbound, which vets addresses, but for those written out here', () => {
  const going = allSources.filter(({ file, text }) => !file.startsWith('src/outbound/') && waysOutOf(text).length > 0);
  expect(going.map(({ file }) => file)).toEqual(Object.keys(GOES_OUT).toSorted());
  const dynamic = allSources.filter(({ text }) =>
    /import\('(undici|(node:)?(https?|http2|net|tls|dgram))'\)/.test(text),
  );
  expect(dynamic.map(({ file }) => file)).toEqual([]);
  for (const file of ['src/delivery/sending/agents.ts', 'src/outbound/ask.ts'])
    expect(sources.find((source) => source.file === file)?.text).toMatch(/new Agent\(\{\s*connect: vettingConnector\(/);
});

test('every table that a migration makes is granted or walled by name', () => {
  const text = readdirSync('migrations')
    .map((file) => readFileSync(`migrations/${file}`, 'utf8').replaceAll(/--.*$/gm, ''))
    .join('\n');
  const namedBy = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].flatMap(([, list]) => list?.match(/\w+/g) ?? []);
  const made = namedBy(/^create (?:unlogged )?table (\w+)(?! partition of)\b(?! partition)/gm);
  const reached = new Set([
    ...namedBy(/\bwall\('(\w+)'/g),
    ...namedBy(/\bwall_by_team\(([^)]*)\)/g),
    ...namedBy(/^grant [^;]*? on ([^;]*) to phial_app;/gm),
  ]);
  expect(made.filter((table) => !reached.has(table))).toEqual([]);
  expect(made.length).toBeGreaterThan(30);
});

test('a table is asked for a word by ownOf, or after Object.hasOwn, so that none finds what stands in Object.prototype', () => {
  const tables = /^(?:export )?const ([A-Z][A-Z_]*): (?:Readonly<)?(?:Partial<)?Record<string,/gm;
  const asking = allSources.flatMap(({ file, text }) =>
    [...text.matchAll(tables)].flatMap(([, table]) => {
      const isAsked = new RegExp(`\\b${table}\\[[^'"\\]]`).test(text);
      return isAsked && !text.includes(`Object.hasOwn(${table}, `) ? [`${file} ${table}`] : [];
    }),
  );
  expect(asking).toEqual([]);
});
