// The files of deploy/ name metrics, options, ports, paths and alerts. All of them exist in the program.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import Fastify from 'fastify';
import { parse } from 'yaml';
import { OPTIONS, type Option } from '../src/config/option-table.ts';
import { FILE_OPTIONS_OF_SECRETS } from '../src/config/secret-files.ts';
import { openMetrics, showRequestWait } from '../src/metrics.ts';
import { operations } from '../src/operations.ts';
import {
  readAlerts,
  readBoard,
  readChart,
  readCompose,
  readLastStage,
  readText,
  readUnit,
  sumOfChart,
  type KubernetesObject,
  type Pod,
} from './deploy-files.ts';

const files = readdirSync('deploy', { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /\.(ya?ml|service|env|conf|tpl|json|sh)$|Dockerfile$|make-secrets$/.test(file) && !file.startsWith('.tools'),
);

async function knownMetrics(): Promise<Set<string>> {
  const metrics = openMetrics();
  showRequestWait(metrics, { longestWaitMs: 0 });
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  const listed = [...metrics.registry.getMetricsAsArray(), ...own.getMetricsAsArray()];
  return new Set(
    listed.flatMap(({ name }) =>
      name === 'phial_request_duration_seconds' ? [`${name}_count`, `${name}_sum`, `${name}_bucket`] : [name],
    ),
  );
}

/** The metrics of an expression, and the places where the parser finds no PromQL. */
function parseExpression(expr: string): { metrics: string[]; errors: number } {
  // Grafana replaces its variable before Prometheus sees it.
  const text = expr.replaceAll('$__rate_interval', '5m');
  const metrics: string[] = [];
  let errors = 0;
  parser.parse(text).iterate({
    enter: ({ name, type, from, to }) => {
      if (type.isError) errors += 1;
      if (name === 'Identifier') metrics.push(text.slice(from, to));
    },
  });
  return { metrics, errors };
}

describe('alerts and board', () => {
  const alerts = readAlerts();
  const { panels } = readBoard();
  const expressions = [
    ...alerts.map(({ expr }) => expr),
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ];

  test('each expression is PromQL, and each of its metrics is one of the program or of Prometheus itself', async () => {
    const known = await knownMetrics();
    const parsed = expressions.map((expr) => ({ expr, ...parseExpression(expr) }));
    expect(parsed.filter(({ errors }) => errors > 0)).toEqual([]);
    const named = parsed.flatMap(({ metrics }) => metrics);
    expect(named.filter((name) => !known.has(name) && name !== 'up')).toEqual([]);
    expect(named.length).toBeGreaterThan(50);
  });

  test('a wrong expression is found', () => {
    expect(parseExpression('sum(rate(phial_polls_total[5m])').errors).toBeGreaterThan(0);
  });

  test('the board shows every metric of the program', async () => {
    const shown = new Set(
      panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => parseExpression(expr).metrics)),
    );
    const own = [...(await knownMetrics())].filter((name) => /^phial_(?!.*_(sum|count|bucket)$)/.test(name));
    expect(own.filter((name) => !shown.has(name))).toEqual([]);
  });

  test('each alert has a chapter on the page of alerts, and its runbook leads there', () => {
    const page = readFileSync('docs/operate/alerts.md', 'utf8');
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(alerts.map(({ alert }) => alert));
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations['runbook']).toBe(`docs/operate/alerts.md#${alert.toLowerCase()}`);
      expect(['critical', 'warning']).toContain(labels.severity);
    }
  });

  test('panels have ids of their own and do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const overlapping = panels.filter(({ id, gridPos: a }) =>
      panels.some(
        ({ id: other, gridPos: b }) =>
          other > id && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
      ),
    );
    expect(overlapping).toEqual([]);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});

test('each option that a file names exists, and a file is named for secrets only', () => {
  const known = new Set([...Object.keys(OPTIONS), ...FILE_OPTIONS_OF_SECRETS, 'PHIAL_IMAGE', 'PHIAL_PORT']);
  const named = files.flatMap((file) =>
    [...readText(file).matchAll(/\b(PHIAL_[A-Z\d_]+|DATABASE_URL\w*)\b/g)].map(([name]) => ({ file, name })),
  );
  expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});

test('no file has a secret option with a value', () => {
  const secrets = Object.entries<Option>(OPTIONS).flatMap(([name, { secret }]) => (secret ? [name] : []));
  const values = files.flatMap((file) =>
    secrets.filter((name) =>
      new RegExp(`\\b${name}["']?[:=] *(?!database-url|lookup-key|encryption-keys)\\S`).test(readText(file)),
    ),
  );
  expect(values).toEqual([]);
});

describe('the image', () => {
  const stage = readLastStage();
  const environment = Object.fromEntries(
    stage
      .filter(({ instruction }) => instruction === 'ENV')
      .flatMap(({ text }) => text.split(/\s+/).map((pair) => pair.split('=', 2) as [string, string])),
  );

  test('runs as a user that is not root, and its ports are those of the program', () => {
    expect(stage.find(({ instruction }) => instruction === 'USER')?.text).toBe('10001:10001');
    const exposed = stage.find(({ instruction }) => instruction === 'EXPOSE')?.text;
    expect(exposed).toBe(`${OPTIONS.PORT.default} ${environment['PHIAL_METRICS_PORT']}`);
  });

  test('copies only what exists', () => {
    const copied = stage
      .filter(({ instruction, text }) => instruction === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(copied.filter((path) => ignored.includes(path.split('/')[0] as string))).toEqual([]);
    expect(ignored).toContain('.env');
  });

  test('has what an installed package has, and of bin what the program imports', () => {
    const copied = stage
      .filter(({ instruction }) => instruction === 'COPY')
      .flatMap(({ text }) =>
        text
          .replace(/^--from=\S+ /, '')
          .split(' ')
          .slice(0, -1),
      )
      .map((path) => path.replace('/opt/phial/', ''));
    const { files: published } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    expect(published.filter((path) => path !== 'bin' && !copied.includes(path))).toEqual([]);
    const imported = copied
      .filter((path) => path.startsWith('bin/'))
      .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/from '\.\/([\w-]+\.mjs)'/g)])
      .map(([, name]) => `bin/${name}`);
    expect(imported.filter((path) => !copied.includes(path))).toEqual([]);
    expect(imported.length).toBeGreaterThan(2);
  });
});

describe('compose', () => {
  test('fits the schema of Compose', () => {
    const dclint = (path: string): string =>
      execFileSync(process.execPath, ['node_modules/dclint/bin/dclint.cjs', '--quiet', path], { encoding: 'utf8' });
    expect(dclint('deploy/compose/compose.yaml')).not.toContain('error');
  });

  test('gives the login of the owner to the migration only, and each secret that a service names exists', () => {
    const { services, secrets } = readCompose();
    const { postgres, migrate, ...serving } = services;
    expect(Object.keys(serving)).toEqual(['api', 'worker']);
    for (const service of Object.values(serving)) {
      expect(service.secrets).not.toContain('owner-database-url');
      expect(Object.keys(service.environment)).not.toContain('PHIAL_OWNER_DATABASE_URL_FILE');
    }
    expect(migrate?.environment['PHIAL_OWNER_DATABASE_URL_FILE']).toBe('/run/secrets/owner-database-url');
    expect(postgres?.secrets).toContain('service-password');
    for (const { secrets: used, environment } of Object.values(services)) {
      expect(used.filter((name) => !(name in secrets))).toEqual([]);
      const read = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      expect(read.filter((path) => !used.includes(path.replace('/run/secrets/', '')))).toEqual([]);
    }
    for (const service of [migrate, ...Object.values(serving)]) expect(service?.read_only).toBe(true);
  });
});

describe('the chart', () => {
  const objects = readChart();
  const ofKind = (kind: string): KubernetesObject[] => objects.filter((object) => object.kind === kind);
  const pods: Pod[] = [...ofKind('Deployment'), ...ofKind('Job')].map(({ spec }) => spec.template.spec);

  test('was rendered from its templates as they are', () => {
    expect(readText('rendered-chart.yaml').split('\n', 1)[0]).toContain(sumOfChart());
  });

  test('its pods run without root, with a read-only root and without variables for services', () => {
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      // Kubernetes would set PHIAL_PORT and others, and the program refuses options that it does not know.
      expect(pod.enableServiceLinks).toBe(false);
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
      expect(pod.containers[0].securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
    }
  });

  test('API and worker are probed where the program answers, and only the job has the login of the owner', () => {
    for (const { metadata, spec } of ofKind('Deployment')) {
      const [container] = spec.template.spec.containers;
      const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
        (probe) => `${probe?.httpGet.port}${probe?.httpGet.path}`,
      );
      expect(paths).toEqual(['metrics/healthz', 'metrics/healthz', 'metrics/readyz']);
      expect(container.ports).toContainEqual({ name: 'metrics', containerPort: 9464 });
      expect(JSON.stringify(spec)).not.toContain('owner');
      expect(metadata.name).toBe(`phial-${container.args[0]}`);
    }
    const [job] = ofKind('Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(job?.spec.template.spec.containers[0].args).toEqual(['migrate']);
    expect(JSON.stringify(job)).toContain('PHIAL_OWNER_DATABASE_URL_FILE');
    const probed = operations.filter(({ tag }) => tag === 'system').map(({ path }) => path);
    expect(probed).toEqual(expect.arrayContaining(['/healthz', '/readyz']));
  });

  test('the job of the page that backs up has what the job that migrates has, and a folder for the backup', () => {
    const page = readFileSync('docs/operate/deploy-on-kubernetes.md', 'utf8');
    const [, text = ''] = /^```yaml\n(apiVersion: batch[^]*?)^```/m.exec(page) ?? [];
    const { kind, spec } = parse(text) as KubernetesObject;
    const [job] = ofKind('Job');
    const [{ containers: own, ...pod }, { containers, ...migrating }] = [
      spec.template.spec,
      (job as KubernetesObject).spec.template.spec,
    ];
    expect(kind).toBe('Job');
    expect(pod.volumes).toEqual(expect.arrayContaining(migrating.volumes));
    const { fsGroupChangePolicy: _, ...security } = migrating.securityContext;
    expect({ ...pod, volumes: [] }).toEqual({ ...migrating, volumes: [], securityContext: security });
    const [backup, migration] = [own[0], containers[0]];
    expect(backup.args.slice(0, 2)).toEqual(['backup', '--to']);
    expect(backup.securityContext).toEqual(migration.securityContext);
    expect(backup.volumeMounts).toEqual(expect.arrayContaining(migration.volumeMounts));
    // The options of a hook are in the job. A job that runs beside the service reads them where the service does.
    const [options] = ofKind('ConfigMap');
    expect((backup as { envFrom?: unknown }).envFrom).toEqual([{ configMapRef: { name: options?.metadata.name } }]);
    expect(migration.env.filter(({ name }) => !(name in (options?.data ?? {})))).toEqual(
      expect.arrayContaining(backup.env),
    );
    expect(backup.env.map(({ name }) => name)).toContain('PHIAL_OWNER_DATABASE_URL_FILE');
  });

  test('the autoscaler reads a metric of the program', async () => {
    const [autoscaler] = ofKind('HorizontalPodAutoscaler');
    const name = autoscaler?.spec.metrics?.[0]?.external.metric.name as string;
    expect(name).toBe('phial_webhook_oldest_due_seconds');
    expect(await knownMetrics()).toContain(name);
  });
});

describe('systemd', () => {
  test.each(['phial-api', 'phial-worker', 'phial-migrate'])('%s reads each secret from a credential', (name) => {
    const { environment, credentials } = readUnit(name);
    const read = Object.entries(environment).filter(([option]) => option.endsWith('_FILE'));
    expect(read.map(([, path]) => path.replace('%d/', '')).toSorted()).toEqual(Object.keys(credentials).toSorted());
    expect(Object.keys(credentials).includes('owner-database-url')).toBe(name === 'phial-migrate');
    expect(readText(`systemd/${name}.service`)).toMatch(/^NoNewPrivileges=yes[^]*^ProtectSystem=strict$/m);
  });
});

describe('nginx', () => {
  const conf = readText('nginx/phial.conf');
  const valueOf = (name: string): string => new RegExp(`^\\s*${name} ([^;]+);`, 'm').exec(conf)?.[1] as string;

  test('replaces what a client says about its address, and keeps idle connections for less time than Phial', () => {
    expect(conf).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
    const server = Fastify();
    expect(Number.parseInt(valueOf('keepalive_timeout'), 10) * 1000).toBeLessThan(server.server.keepAliveTimeout);
  });

  test('takes every body that an operation takes, streams imports, and waits longer than the feed', () => {
    const bytes = operations.map(({ body }) => (body && 'maxBytes' in body ? Number(body.maxBytes) : 0));
    const limit = Number.parseInt(valueOf('client_max_body_size'), 10) * 1024 * 1024;
    const large = operations.filter((_, n) => (bytes[n] as number) > limit).map(({ path }) => path);
    expect(large.filter((path) => !/^\/v2\/user\/\{user_id\}\/import$/.test(path))).toEqual([]);
    expect(Math.max(...bytes)).toBeGreaterThan(0);
    expect(Number.parseInt(valueOf('proxy_read_timeout'), 10)).toBeGreaterThan(30);
  });
});

test('README of deploy has at most 60 lines, and names each folder', () => {
  const readme = readText('README.md');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  const folders = readdirSync('deploy', { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== '.tools',
  );
  expect(folders.filter(({ name }) => !readme.includes(`\`${name}/`))).toEqual([]);
});
