import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allSources, dashboardFiles, isUnder, sourcePathOf, sources, workspaceFiles } from './source-files.ts';

/** The parts that every other part may use. */
const GROUND = [
  'errors',
  'ids',
  'log',
  'output-writer',
  'log-lines',
  'metrics',
  'config',
  'context',
  'first-keys-file',
  'package-root',
  'wire',
  'batch-scheduler',
  'fair',
  'hook-bodies',
  'long-polls',
  'plans',
  'time-limit',
  'disk-space',
  'transient-map',
  'traces',
  'db',
  'privacy',
];

/** Tables of wearables, which import nothing else. Options are derived from them. */
const CATALOGUE = [
  'wearables/providers/provider-catalogue',
  'wearables/providers/facts',
  'wearables/providers/unconnected-scopes',
  'wearables/series',
  'wearables/series-type',
  'wearables/summary-names',
];

/**
 * The first level: what each part may import besides itself. The order leads from the program through its modules to
 * the ground. A part imports only parts that come after it in this table.
 */
const PARTS: Record<string, string[]> = {
  // the program
  main: ['cli', ...GROUND],
  cli: [
    'serve',
    'subscriptions',
    'labs',
    'wearables',
    'tenancy',
    'audit',
    'delivery',
    'events',
    'outbound',
    'event-types',
    'openapi-texts',
    'operation',
    ...GROUND,
    ...CATALOGUE,
  ],
  serve: [
    'api',
    'assemble',
    'labs',
    'http',
    'jobs',
    'pipelines',
    'tenancy',
    'webhooks',
    'delivery',
    'events',
    'system',
    'operation',
    ...GROUND,
  ],
  assemble: ['subscriptions', 'http', 'pipelines', 'delivery', 'outbound', 'events', ...GROUND],
  api: [
    'files',
    'operations',
    'openapi',
    'reference',
    'jobs',
    'pipelines',
    'labs',
    'http',
    'delivery',
    'mail',
    'operation',
    ...GROUND,
  ],
  // tables of contents, one line for each module
  subscriptions: ['labs', 'wearables', 'context'],
  openapi: [
    'openapi-texts',
    'demo-clinic',
    'pipelines',
    'team-export',
    'operations',
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
  operations: [
    'event-catalogue',
    'demo-clinic',
    'overview',
    'team-export',
    'pipelines',
    'labs',
    'wearables',
    'insurance',
    'users',
    'webhooks',
    'tenancy',
    'system',
    'operation',
  ],
  'event-catalogue': ['openapi-texts', 'event-types', 'http', 'webhooks'],
  'event-types': ['labs', 'wearables', 'delivery', 'events'],
  jobs: [
    'demo-clinic',
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
    'operation',
    ...GROUND,
  ],
  'demo-clinic': [
    ...CATALOGUE,
    'webhooks',
    'labs',
    'wearables',
    'insurance',
    'users',
    'tenancy',
    'operation',
    ...GROUND,
  ],
  overview: [
    'labs',
    'wearables',
    'users',
    'totals',
    'webhooks',
    'delivery',
    'tenancy',
    'audit',
    'operation',
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
    'operation',
    ...GROUND,
  ],
  pipelines: ['webhooks', 'delivery', 'outbound', 'tenancy', 'events', 'operation', ...GROUND],
  'openapi-texts': [],
  reference: ['http', 'package-root', 'wire'],
  // the modules, higher ones first
  labs: ['files', 'insurance', 'users', 'outbound', 'tenancy', 'totals', 'audit', 'events', 'operation', ...GROUND],
  wearables: [
    ...CATALOGUE,
    'files',
    'users',
    'totals',
    'outbound',
    'tenancy',
    'audit',
    'events',
    'operation',
    ...GROUND,
  ],
  files: ['tenancy', 'operation', ...GROUND],
  insurance: ['users', 'tenancy', 'operation', ...GROUND],
  users: ['delivery', 'tenancy', 'totals', 'events', 'audit', 'operation', ...GROUND],
  webhooks: ['delivery', 'outbound', 'tenancy', 'events', 'operation', ...GROUND],
  delivery: ['outbound', 'events', 'operation', ...GROUND],
  http: ['tenancy', 'audit', 'outbound', 'events', 'operation', ...GROUND],
  tenancy: ['mail', 'outbound', 'audit', 'operation', ...GROUND],
  system: ['operation', ...GROUND],
  totals: GROUND,
  mail: ['outbound', ...GROUND],
  outbound: GROUND,
  audit: GROUND,
  events: ['wearables/series', 'wearables/series-type', 'wearables/summary-names', ...GROUND],
  operation: GROUND,
  // the ground
  'wearables/providers/provider-catalogue': [
    'wearables/providers/*/facts',
    'wearables/providers/facts',
    'wearables/providers/unconnected-scopes',
    'wearables/series',
    'wearables/series-type',
  ],
  'wearables/providers/*/facts': ['wearables/providers/facts'],
  'wearables/providers/facts': [],
  'wearables/providers/unconnected-scopes': [],
  'wearables/series': ['wearables/series-type', 'wearables/unit-conversions'],
  'wearables/series-type': [],
  'wearables/summary-names': [],
  'wearables/unit-conversions': [],
  'first-keys-file': [],
  db: ['config', 'context', 'errors', 'log', 'package-root', 'traces', 'wire', 'ids'],
  traces: ['config', 'log'],
  privacy: ['config', 'context', 'db', 'errors', 'log'],
  metrics: ['context'],
  context: ['batch-scheduler', 'fair', 'long-polls', 'plans', 'config', 'db', 'log', 'privacy', 'traces'],
  config: ['wearables/providers/provider-catalogue', 'wearables/providers/facts'],
  'batch-scheduler': ['fair'],
  fair: ['transient-map'],
  'hook-bodies': ['context', 'errors', 'fair'],
  'long-polls': ['errors', 'fair'],
  plans: [],
  'time-limit': [],
  'disk-space': [],
  'transient-map': [],
  wire: ['ids'],
  errors: [],
  ids: [],
  log: ['log-lines'],
  'log-lines': ['output-writer'],
  'output-writer': [],
  'package-root': [],
};

/**
 * The second level: the sub-folders of a module, higher ones first. A sub-folder imports only sub-folders that come
 * after it.
 */
const MODULES: Record<string, string[]> = {
  labs: [
    'operations',
    'erase',
    'portal',
    'carriers',
    'laboratories',
    'documents',
    'results',
    'appointments',
    'orders',
    'locations',
    'schedulers',
    'catalogue',
    'author',
    'hook-bodies',
  ],
  wearables: [
    'operations',
    'erase',
    'aggregate',
    'files',
    'credentials',
    'link',
    'hooks',
    'pulls',
    // Data from an app connects its user: pushes are above connections, and the storage of their data is below.
    'summaries/operations',
    'summaries/push',
    'timeseries/operations',
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
    'range-of-days',
    'is-published',
    'user-writer',
    'schema-check',
    'rank',
    'source',
    'by-hand',
    'laboratory-slugs',
    'range-of-days',
  ],
  tenancy: [
    'operations',
    'erase',
    'access-tokens',
    'ehr',
    'sign-in',
    'members',
    'domains',
    'orgs',
    'sessions',
    'keys',
    'teams',
    'creator',
    'role-bindings',
    'team-paths',
    'schemas',
    'limits',
  ],
  webhooks: [
    'operations',
    'erase',
    'attempts',
    'replays',
    'metrics',
    'endpoints',
    'demo-endpoint',
    'feed',
    'event-types',
    'webhook-path',
  ],
  pipelines: ['operations', 'erase', 'etl', 'ehr', 'refuse-address', 'mask'],
  events: ['erase', 'publish', 'deferred-events', 'notify-readers', 'filter', 'open-body', 'define', 'origin', 'names'],
  http: [
    'app',
    'route',
    'compile-operation',
    'unknown-route',
    'dashboard',
    'trace-requests',
    'openapi',
    'audit',
    'response',
    'input',
    'limits',
    'auth',
    'error-response',
  ],
  delivery: [
    'deliverer',
    'starts',
    'combine-calls',
    'replays',
    'attempts',
    'outcome-writer',
    'tallies',
    'disable',
    'publish-exhausted',
    'endpoint-cache',
    'events',
    'load-events',
    'defer-deliveries',
    'requeue',
    'find-waiting',
    'erase',
    'record-outcomes',
    'queues',
    'retry-schedule',
    'sending',
  ],
};

/** A star stands for a folder of any name. */
const named = (part: string, sourcePath: string): string =>
  part.includes('*') ? (new RegExp(`^${part.replace('*', '[^/]+')}$`).exec(sourcePath)?.[0] ?? part) : part;
const longest = (names: string[]): string | undefined => names.toSorted((a, b) => b.length - a.length)[0];

/** The longest matching prefix of a file names its part and its sub-folder. */
const partOf = (sourcePath: string): string =>
  longest(Object.keys(PARTS).filter((part) => isUnder(sourcePath, named(part, sourcePath)))) ?? sourcePath;
const moduleOf = (sourcePath: string): string => {
  const [folder = '', ...path] = sourcePath.split('/');
  return longest((MODULES[folder] ?? []).filter((module) => isUnder(path.join('/'), module))) ?? (path[0] as string);
};

const edges = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/(?:from|import\(?)\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) => ({
    from: sourcePathOf(file),
    to: sourcePathOf(normalize(join(dirname(file), target as string))),
  })),
);
const describeImport = ({ from, to }: { from: string; to: string }): string => `${from} imports ${to}`;

describe('imports point down', () => {
  test('every part of the program imports only parts below it', () => {
    const wrong = edges.filter(({ from, to }) => {
      const [upper, lower] = [partOf(from), partOf(to)];
      return upper !== lower && !PARTS[upper]?.includes(lower);
    });
    expect(wrong.map(describeImport)).toEqual([]);
    expect(edges.length).toBeGreaterThan(100);
  });

  test("above the ground, whose parts import each other's types, the table of parts has no circle", () => {
    const order = Object.keys(PARTS);
    const wrong = Object.entries(PARTS).flatMap(([part, below]) =>
      GROUND.includes(part)
        ? below.filter((other) => !GROUND.includes(other) && !CATALOGUE.includes(other))
        : below.filter((other) => order.indexOf(other) <= order.indexOf(part)),
    );
    expect(wrong).toEqual([]);
  });

  test('within a module a sub-folder imports only sub-folders below it', () => {
    const wrong = edges.filter(({ from, to }) => {
      const modules = partOf(from) === partOf(to) ? MODULES[partOf(from)] : undefined;
      if (!modules || moduleOf(from) === moduleOf(to)) return false;
      const [upper, lower] = [modules.indexOf(moduleOf(from)), modules.indexOf(moduleOf(to))];
      return upper === -1 || lower === -1 || lower < upper;
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test('the kinds of laboratories import their shared code, and not each other', () => {
    const kindOf = (sourcePath: string): string => /^labs\/laboratories\/([^/]+)\//.exec(sourcePath)?.[1] ?? '';
    const kinds = new Set(edges.map(({ from }) => kindOf(from)).filter((kind) => kind !== ''));
    expect(kinds.size).toBeGreaterThan(2);
    const wrong = edges.filter(({ from, to }) => {
      if (!from.startsWith('labs/laboratories/') || !to.startsWith('labs/laboratories/')) return false;
      return kinds.has(kindOf(to)) && kindOf(to) !== kindOf(from);
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test('the wearables module and the laboratory module do not import each other', () => {
    for (const module of ['labs', 'wearables'])
      for (const other of ['labs', 'wearables'].filter((name) => name !== module))
        expect(PARTS[module] ?? []).not.toContain(other);
  });
});

describe('packages and examples do not depend on the program', () => {
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

  test('they import no file outside of their folder, except tests of an example, which may start the program', () => {
    const wrong = workspaceFiles.flatMap((source) => {
      const isTestOfExample = source.file.startsWith('examples/') && source.file.endsWith('.test.ts');
      return pathsOf(source)
        .filter((path) => !isUnder(path, folderOf(source.file)) && !(isTestOfExample && isUnder(path, 'test')))
        .map((path) => `${source.file} imports ${path}`);
    });
    expect(wrong).toEqual([]);
    expect(workspaceFiles.length).toBeGreaterThan(30);
  });

  test('src imports packages by their names only, and no example; it or an example imports each package', () => {
    const wrong = sources.flatMap((source) =>
      pathsOf(source)
        .filter((path) => !isUnder(path, 'src'))
        .map((path) => `${source.file} imports ${path}`),
    );
    expect(wrong).toEqual([]);
    const examples = workspaceFiles.filter(({ file }) => isUnder(file, 'examples'));
    const named = new Set(
      [...sources, ...examples].flatMap(({ text }) => importsOf(text).map((target) => target.split('/', 2).join('/'))),
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
      // The packed program does not contain the package.json of its packages, so it must list their dependencies
      // itself.
      for (const [name, version] of listed) expect([name, inProgram.get(name)]).toEqual([name, version]);
      const imported = workspaceFiles
        .filter(({ file }) => isUnder(file, `${folder}/src`) && !file.endsWith('.test.ts'))
        .flatMap(({ text }) => importsOf(text).filter((target) => !/^(\.|node:)/.test(target)));
      for (const name of imported) expect(Object.keys(dependencies)).toContain(name);
    }
  });
});

describe('the dashboard', () => {
  /** Its folders, higher ones first. A page imports no other page. */
  const FOLDERS = ['app', 'pages', 'parts', 'api'];
  const importsOf = (text: string): string[] =>
    [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => target as string);
  const levelOf = (path: string): number => FOLDERS.indexOf(path.split('/')[2] as string);
  const imports = dashboardFiles.flatMap(({ file, text }) => importsOf(text).map((target) => ({ file, target })));

  test('imports no file outside of its sources, and the folders after its own only', () => {
    const wrong = imports
      .filter(({ target }) => target.startsWith('.'))
      .map(({ file, target }) => ({ file, path: normalize(join(dirname(file), target)) }))
      .filter(({ file, path }) => {
        if (!isUnder(path, 'dashboard/src') || levelOf(path) < levelOf(file)) return true;
        const [, , folder, page] = file.split('/');
        return folder === 'pages' && levelOf(path) === levelOf(file) && path.split('/')[3] !== page;
      });
    expect(wrong).toEqual([]);
    expect(dashboardFiles.filter(({ file }) => levelOf(file) < 0)).toEqual([]);
    expect(imports.length).toBeGreaterThan(50);
  });

  test('imports packages that its package.json lists as what is bundled, and of ours the client only', () => {
    const { dependencies, devDependencies = {} } = JSON.parse(readFileSync('dashboard/package.json', 'utf8')) as {
      dependencies?: object;
      devDependencies?: object;
    };
    // What is bundled need not be installed to run the service.
    expect(dependencies).toBe(undefined);
    const named = imports
      .filter(({ target }) => !target.startsWith('.'))
      .map(({ target }) => target.split('/', target.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(named)].filter((name) => !(name in devDependencies))).toEqual([]);
    expect(named.filter((name) => name.startsWith('@phial/') && name !== '@phial/client')).toEqual([]);
  });
});

test('only config reads the environment', () => {
  const reading = sources.filter(({ text }) => text.includes('process.env')).map(({ file }) => file);
  // The snippets of the reference show programs that read it.
  const isOther = (file: string): boolean => !file.startsWith('src/config/') && file !== 'src/reference/snippets.ts';
  expect(reading.filter(isOther)).toEqual([]);
});

/**
 * The files that work for all teams, each with its reason. All other files see the rows of one team or organisation.
 */
const ACROSS_TEAMS: Record<string, string> = {
  'src/overview/read-usage.ts': 'adds up the totals of all teams of the organisation',
  'src/api.ts': 'metrics count deliveries and orders of laboratories',
  'src/serve.ts': 'takes back the queues of a killed worker',
  'src/delivery/deliverer.ts': 'the delivery loop',
  'src/demo-clinic/load.ts': 'resumes demo clinics of all teams whose job was lost',
  'src/http/auth/access.ts': 'finds the owner of a key',
  'src/wearables/hooks/receive-hook.ts': 'finds the account of a provider event',
  'src/wearables/connections/pause-after-last-day.ts': 'finds connections of all teams whose last day is over',
  'src/wearables/connections/tokens/revoke.ts': 'finds whether anybody is connected to an account',
  'src/wearables/link/session.ts': 'finds the owner of a link token',
  'src/wearables/link/exchange-code.ts': 'finds the owner of a link code',
  'src/wearables/link/oauth/state.ts': 'finds the user that a provider sends back',
  'src/jobs/retention.ts': 'retention',
  'src/users/search/fill.ts': 'makes the search hashes of older users of all teams',
  'src/totals/subtract-leaving-users.ts': 'finds users of all teams who are scheduled for deletion',
  'src/wearables/files/reserve-quota.ts': 'the quota of an organisation over all of its teams',
  'src/labs/results/parser/reserve-quota.ts': 'the quota of an organisation over all of its teams',
  'src/files/file-queue.ts': 'chooses the next import or lab report',
  'src/labs/results/parser/review.ts': 'lists the reports that the operator reviews',
  'src/wearables/aggregate/continuous/runs/resume-runs.ts': 'finds runs of all teams that were cut off or are due',
  'src/wearables/connections/subscriptions/ensure-user-subscription.ts':
    'finds due subscriptions of users of all teams',
  'src/wearables/pulls/replay/replay-payloads.ts': 'maps payloads of all teams again',
  'src/wearables/pulls/resume-pulls.ts': 'finds due pulls and polls of all teams',
  'src/labs/orders/messages/resend-events.ts': 'sends the remaining events of all teams whose worker was killed',
  'src/labs/appointments/by-telephone/list.ts': 'lists for the operator the appointments that need a telephone call',
  'src/labs/appointments/scheduler-calls/take-scheduler-call.ts': 'finds due requests to schedulers of all teams',
  'src/labs/appointments/updates/receive-scheduler-update.ts': 'finds the appointment of a scheduler update',
  'src/labs/carriers/receive-carrier-update.ts': 'finds the parcel of a carrier update',
  'src/labs/carriers/follow-scans.ts': 'finds whether a newer order of any team has the number of a parcel',
  'src/labs/laboratories/hl7/inbox/apply-message.ts':
    'finds the owner of a result by the numbers that were issued for it',
  'src/labs/laboratories/hl7/inbox/apply-waiting.ts': 'finds messages of laboratories that were not applied yet',
  'src/labs/laboratories/hl7/inbox/store-message.ts': 'stores a message before its team is known',
  'src/labs/laboratories/hl7/inbox/try-message.ts': 'counts the tries of a message before its team is known',
  'src/labs/laboratories/hl7/management/message-actions.ts': 'leaves an unreadable repaired message with its team',
  'src/labs/laboratories/hl7/outbox/list-outgoing.ts': 'lists outgoing messages for the operator',
  'src/labs/laboratories/hl7/outbox/outbox-actions.ts': 'sends again, holds and releases for the operator',
  'src/labs/laboratories/hl7/outbox/send-orders.ts': 'ends waiting messages of a deleted team',
  'src/labs/laboratories/hl7/outbox/take-waiting.ts': 'reads the waiting messages to one laboratory, of any team',
  'src/labs/laboratories/hl7/repair/list.ts': 'lists messages for the operator',
  'src/labs/laboratories/hl7/repair/repair-message.ts': 'repairs messages for the operator',
  'src/labs/laboratories/simulated/simulation-step.ts': 'resumes overdue simulations of all teams',
  'src/labs/orders/under-way/activate.ts': 'sends scheduled orders of all teams on their day',
  'src/pipelines/etl/streaming/lease.ts': 'finds pipelines of all teams that nobody streams',
  'src/tenancy/keys/key-uses.ts': 'records the use of keys of all teams',
  'src/tenancy/orgs/bootstrap.ts': 'finds whether there is any organisation',
  'src/tenancy/orgs/list.ts': 'lists organisations for the operator',
  'src/tenancy/sessions/use-link.ts': 'finds the organisation of a one-time link',
  'src/tenancy/sign-in/mail-links.ts': 'looks for the members with an address, who may be of any organisation',
  'src/tenancy/sign-in/openid/finish.ts': 'looks for the members with an address, who may be of any organisation',
  'src/tenancy/sign-in/request-link.ts': 'counts requests, which belong to no organisation',
  'src/tenancy/teams/list-all.ts': 'lists teams for the operator',
  'src/mail/daily-mail-limit.ts': 'counts the mails from all organisations to one address',
  'src/mail/send-mails.ts': 'finds due mail of all organisations',
  'src/jobs/run-jobs.ts': 'keeps a deferred job in the share of its organisation',
  'src/jobs/unlock.ts': 'takes back imports of a killed process',
  'src/jobs/erase-teams.ts': 'finds the deleted teams to erase',
  'src/jobs/erase-ended-agreements.ts': 'finds ended agreements of all teams whose data is due for deletion',
  'src/jobs/erase-users.ts': 'finds users of all teams whose grace period is over',
};

test('a list names every file that works across teams', () => {
  const users = sources.filter(({ file, text }) => /\bacrossTeams\(/.test(text) && file !== 'src/db/session/bind.ts');
  expect(users.map(({ file }) => file)).toEqual(Object.keys(ACROSS_TEAMS).toSorted());
});

/**
 * The files that read the restrictions of a management key, each with its reason. In all other files the scope has
 * decided.
 */
const READS_KEYS: Record<string, string> = {
  'src/http/auth/resolve-scope.ts': 'compares a key with the scope of an operation',
  'src/http/route.ts': 'finds the key that requested a stored response',
  'src/tenancy/teams/find.ts': 'finds whether the key is bound to a team',
  'src/demo-clinic/start.ts': 'keeps whether the load may add members to the organisation',
  'src/tenancy/keys/patch-management-key.ts': 'reads the key that is changed',
  'src/tenancy/keys/revoke-management-key.ts': 'reads the key that is revoked',
};

test('only listed files read the rights of a key', () => {
  const reading = sources.filter(({ text }) =>
    /\bkey\.(role|team_ids)\b|\{[^}]*\b(role|team_ids)\b[^}]*\} = (\w+\.)?key\b/.test(text),
  );
  expect(reading.map(({ file }) => file).toSorted()).toEqual(Object.keys(READS_KEYS).toSorted());
});

test('no code refuses a closed beta itself: the operation declares it', () => {
  const refusing = sources.filter(({ text }) => /\brefuseWithoutBeta\(/.test(text)).map(({ file }) => file);
  expect(refusing).toEqual(['src/http/auth/resolve-scope.ts', 'src/tenancy/teams/betas.ts']);
});

/** The files that lock a name or a number without a row. All other locks are a kind of named-lock.ts. */
const LOCKS_NAMES: Record<string, string> = {
  'packages/embedded-postgres/src/ownership.ts': 'a data directory has one owner during its life',
  'src/db/listener.ts': 'a process shows that it lives',
  'src/db/session/named-lock.ts': 'locks names in transactions',
  'src/db/worker-schema.ts': 'one process grants at a time, in its own SQL',
  'src/delivery/queues/queue-replayed.ts': 'locks many teams whose replays no other process holds',
  'src/delivery/queues/delivery-worker.ts': 'locks many workers that have died',
  'src/privacy/rotate.ts': 'one rotation of keys runs at a time, over many transactions',
};

test('only named-lock.ts locks names, so that no two kinds use the same name', () => {
  const locking = allSources.filter(({ text }) => /\bpg_(try_)?advisory_/.test(text)).map(({ file }) => file);
  expect(locking).toEqual(Object.keys(LOCKS_NAMES).toSorted());
});

test(
  'no function literal is assigned to a property: V8 would promote it to the old generation at once, with ' +
    'all its references',
  () => {
    const giving = allSources.filter(({ text }) =>
      /\w\.#?\w+ \??\??= (async )?(function\b|\w+ =>|\([^()]*\)(: \w+)? =>)/.test(text),
    );
    expect(giving.map(({ file }) => file)).toEqual([]);
  },
);

/** Ways to open a connection, by module. Functions that only listen, or parse an address, are not listed. */
const WAYS_OUT: Record<string, RegExp> = {
  undici: /./,
  nodemailer: /./,
  'openid-client': /^(discovery|authorizationCodeGrant|fetchUserInfo)$/,
  'node:http': /^(request|get|Agent)$/,
  'node:https': /^(request|get|Agent)$/,
  'node:http2': /^connect$/,
  'node:net': /^(connect|createConnection|Socket)$/,
  'node:tls': /^(connect|TLSSocket)$/,
  'node:dgram': /./,
};

/** The files that open connections without src/outbound, each with its reason. */
const GOES_OUT: Record<string, string> = {
  'packages/client/src/retry.ts': 'a client of the service, at the address that its user chose',
  'packages/hl7/example.ts': 'an example outside of the program',
  'examples/quickstart/service.ts': "a client of the service, at the service's own address, as a customer is",
  'src/cli/doctor/check-reach.ts': 'asks the service at its own public address, which the operator set',
  'src/cli/remote/status.ts': 'asks whether the service is ready, as a load balancer does',
  'src/cli/remote/with-remote.ts': 'a client of the service, as a customer is',
  'src/cli/listen/forward.ts': 'a client on the machine of a developer, who typed the address',
  'src/cli/listen/read-feed.ts': 'a client of the service, as a customer is',
  'src/tenancy/sign-in/openid/issuer.ts': 'gives the library a way out that is src/outbound/ask.ts',
  'src/tenancy/sign-in/openid/finish.ts': 'calls the library, which asks by src/outbound/ask.ts',
  'src/delivery/sending/agents.ts': 'caches connections by team and origin; the vetting connector opens them',
};

/** The parts of a file that open connections: imported names and called globals. */
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

test('src/outbound, which vets addresses, opens every outgoing connection, except in the listed files', () => {
  const going = allSources.filter(({ file, text }) => !file.startsWith('src/outbound/') && waysOutOf(text).length > 0);
  expect(going.map(({ file }) => file)).toEqual(Object.keys(GOES_OUT).toSorted());
  const dynamic = allSources.filter(({ text }) =>
    /import\('(undici|(node:)?(https?|http2|net|tls|dgram))'\)/.test(text),
  );
  expect(dynamic.map(({ file }) => file)).toEqual([]);
  for (const file of ['src/delivery/sending/agents.ts', 'src/outbound/ask.ts'])
    expect(sources.find((source) => source.file === file)?.text).toMatch(/new Agent\(\{\s*connect: vettingConnector\(/);
});

test('every migration that creates a table grants it or gives it a row-level-security policy', () => {
  const text = readdirSync('migrations')
    .map((file) => readFileSync(`migrations/${file}`, 'utf8').replaceAll(/--.*$/gm, ''))
    .join('\n');
  const namedBy = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].flatMap(([, list]) => list?.match(/\w+/g) ?? []);
  const made = namedBy(/^create (?:unlogged )?table (\w+)(?! partition of)\b(?! partition)/gm);
  const reached = new Set([
    ...namedBy(/\b(?:wall|create_row_policy)\('(\w+)'/g),
    ...namedBy(/\b(?:wall_by_team|create_team_policies)\(([^)]*)\)/g),
    ...namedBy(/^grant [^;]*? on ([^;]*) to phial_app;/gm),
  ]);
  expect(made.filter((table) => !reached.has(table))).toEqual([]);
  expect(made.length).toBeGreaterThan(30);
});

test('look-ups of a word use ownProperty, or Object.hasOwn first, so that none finds names of Object.prototype', () => {
  const tables = /^(?:export )?const ([A-Z][A-Z_]*): (?:Readonly<)?(?:Partial<)?Record<string,/gm;
  const asking = allSources.flatMap(({ file, text }) =>
    [...text.matchAll(tables)].flatMap(([, table]) => {
      const isAsked = new RegExp(`\\b${table}\\[[^'"\\]]`).test(text);
      return isAsked && !text.includes(`Object.hasOwn(${table}, `) ? [`${file} ${table}`] : [];
    }),
  );
  expect(asking).toEqual([]);
});
