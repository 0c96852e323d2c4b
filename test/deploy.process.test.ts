// Runs the commands of the image, of Compose and of the units of systemd, with their options and secrets, as processes.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findFreePort } from '../bench/free-port.ts';
import { CERTIFICATE, KEY } from './certificate.ts';
import { startCollector } from './collector.ts';
import { readCompose, readLastStage, readText, readUnit } from './deploy-files.ts';
import { query } from './global-setup.ts';
import { endPrograms, makeFolder, surroundings } from './program.ts';

const missing = ['psql', 'openssl'].find((program) => spawnSync(program, ['--version']).error);
const ROOT = process.cwd();
/** The server that the tests share has a database `phial` already. */
const DATABASE = 'phial_deployed';
/** Prints the packages of OpenTelemetry that a process loads. */
const WATCH = `import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`
export async function resolve(name, context, next) {
  if (name.startsWith('@opentelemetry/')) process._rawDebug('loads ' + name);
  return next(name, context);
}\`));`;

/** Does what systemd-run does with the properties of our script, in the account of the test. */
const SYSTEMD_RUN = `
const { cpSync, mkdtempSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const given = process.argv.slice(2, process.argv.indexOf('--'));
const [command, ...words] = process.argv.slice(process.argv.indexOf('--') + 1);
const valuesOf = (name) =>
  given.filter((word) => word.startsWith('--property=' + name + '=')).map((word) => word.slice(name.length + 12));
if (valuesOf('User')[0] !== 'phial' || valuesOf('ProtectSystem')[0] !== 'strict') throw new Error('another account');
const cwd = given.find((word) => word.startsWith('--working-directory=')).slice('--working-directory='.length);
const CREDENTIALS_DIRECTORY = mkdtempSync(join(cwd, 'credentials-'));
for (const credential of valuesOf('LoadCredential')) {
  const [name, path] = credential.split(':');
  cpSync(path, join(CREDENTIALS_DIRECTORY, name));
}
const options = require('node:util').parseEnv(readFileSync(valuesOf('EnvironmentFile')[0], 'utf8'));
const env = { PATH: process.env.PATH, ...options, PHIAL_DATA_DIR: cwd, CREDENTIALS_DIRECTORY };
process.exitCode = require('node:child_process').spawnSync(command, words, { cwd, env, stdio: 'inherit' }).status;
`;

/** The words of a command line of a page, where quotes keep words together. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => (quoted ?? word) as string);

type Running = { child: ChildProcess; output: () => string; ended: Promise<number | null> };
const running: Running[] = [];

function start(command: string[], cwd: string, env: Record<string, string>): Running {
  const { PATH = '' } = process.env;
  const child = spawn(command[0] as string, command.slice(1), { cwd, env: { PATH, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const started = { child, output: () => output, ended };
  running.push(started);
  return started;
}
process.once('exit', () => running.forEach(({ child }) => child.kill('SIGKILL')));

const answers = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
async function stop({ child, ended, output }: Running): Promise<void> {
  child.kill('SIGTERM');
  expect(await ended, output()).toBe(0);
}

describe.skipIf(missing)(`the files of deploy${missing ? ` (skipped: there is no ${missing})` : ''}`, () => {
  let folder: string;
  let image: string;
  let secrets: string;
  const { services } = readCompose();

  beforeAll(async () => {
    folder = makeFolder();
    image = join(folder, 'image');
    makeImage(image);
    const compose = join(folder, 'compose');
    cpSync('deploy/compose', compose, { recursive: true });
    execFileSync(join(compose, 'make-secrets'));
    secrets = join(compose, 'secrets');
    // The database of the tests is reached by its port, not by a socket.
    const { host, hostname, port, username, password } = new URL(inject('serverUrl'));
    for (const name of ['database-url', 'owner-database-url']) {
      chmodSync(join(secrets, name), 0o600);
      const url = readFileSync(join(secrets, name), 'utf8').replace(
        '%2Fvar%2Frun%2Fpostgresql/phial',
        `${host}/${DATABASE}`,
      );
      writeFileSync(join(secrets, name), url);
    }
    const createRoles = readText('compose/create-roles.sh')
      .replaceAll('/run/secrets', secrets)
      .replace('database phial', `database ${DATABASE}`);
    execFileSync('sh', ['-c', createRoles], {
      env: { ...process.env, PGHOST: hostname, PGPORT: port, PGPASSWORD: password, POSTGRES_USER: username },
    });
  });
  afterAll(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    await query(inject('serverUrl'), `drop database if exists ${DATABASE} with (force)`);
    for (const role of ['phial_owner', 'phial_service'])
      await query(inject('serverUrl'), `drop role if exists ${role}`);
    await endPrograms();
  });

  /** The folder of the image: what its last stage copies, without what it removes. */
  function makeImage(target: string): void {
    mkdirSync(target);
    for (const { instruction, text } of readLastStage()) {
      if (instruction !== 'COPY') continue;
      const words = text.split(' ').filter((word) => !word.startsWith('--'));
      const to = words.pop() as string;
      for (const from of words.map((word) => word.replace('/opt/phial/', ''))) {
        const path = to.endsWith('/') ? join(target, to, from.split('/').at(-1) as string) : join(target, to);
        if (from === 'node_modules') copyPackages(path);
        else {
          mkdirSync(dirname(path), { recursive: true });
          cpSync(from, path, { recursive: true });
        }
      }
    }
  }

  /** Links to each package, except for those that the image removes and those that only developers have. */
  function copyPackages(target: string): void {
    const removed = [...readText('Dockerfile').matchAll(/node_modules\/(\S+)/g)].map(([, name]) => name as string);
    expect(removed).toContain('typescript');
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { dev?: boolean; link?: boolean }>;
    };
    for (const [path, { dev, link }] of Object.entries(packages)) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
      if (name === undefined || dev || link) continue;
      if (removed.includes(name) || removed.includes(name.split('/')[0] as string)) continue;
      mkdirSync(dirname(join(target, name)), { recursive: true });
      symlinkSync(join(ROOT, path), join(target, name));
    }
  }

  const entrypoint = (): string[] =>
    JSON.parse(readLastStage().find(({ instruction }) => instruction === 'ENTRYPOINT')?.text as string) as string[];
  const ofImage = (): Record<string, string> =>
    Object.fromEntries(
      readLastStage()
        .filter(({ instruction }) => instruction === 'ENV')
        .flatMap(({ text }) => text.split(/\s+/).map((pair) => pair.split('=', 2) as [string, string])),
    );
  /** Starts a service of Compose. Ports and folders are our own, because processes share them. */
  function startService(name: string, own: Record<string, string>, other?: string[]): Running {
    const { command = [], environment } = services[name] as (typeof services)[string];
    const env = Object.fromEntries(
      Object.entries(environment).map(([option, value]) => [option, value.replace('/run/secrets', secrets)]),
    );
    const dataDir = join(folder, 'data');
    const host = { PHIAL_HOST: '127.0.0.1', PHIAL_DATA_DIR: dataDir };
    return start([...entrypoint(), ...(other ?? command)], image, { ...ofImage(), ...env, ...host, ...own });
  }

  test('without the migration an API with the login of the service does not start, and says what to do', async () => {
    const { ended, output } = startService('api', { PORT: '0', PHIAL_METRICS_PORT: '0' });
    expect(await ended).toBe(1);
    expect(output()).toContain('DATABASE_URL may not apply them');
  });

  test('the commands of Compose in the folder of the image migrate, serve and work, behind nginx too', async () => {
    const migration = startService('migrate', {});
    expect(await migration.ended, migration.output()).toBe(0);
    const [port, metricsOfApi, metricsOfWorker] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const watch = join(folder, 'watch.mjs');
    writeFileSync(watch, WATCH);
    const watched = { NODE_OPTIONS: `--import ${watch}` };
    const collector = await startCollector();
    const api = startService('api', { PORT: String(port), PHIAL_METRICS_PORT: String(metricsOfApi), ...watched });
    const worker = startService('worker', {
      PHIAL_METRICS_PORT: String(metricsOfWorker),
      PHIAL_OTLP_URL: collector.url,
      ...watched,
    });
    for (const address of [`${port}/readyz`, `${metricsOfApi}/readyz`, `${metricsOfWorker}/readyz`])
      await expect.poll(() => answers(`http://127.0.0.1:${address}`), { timeout: 90_000 }).toBe(200);
    expect(api.output()).not.toContain('loads @opentelemetry');
    expect(worker.output()).toContain('loads @opentelemetry/sdk-trace');
    await runCommandsOfPage();
    for (const page of ['dashboard/', 'docs/operate/install'])
      expect(await answers(`http://127.0.0.1:${port}/${page}`), page).toBe(200);

    const health = readLastStage().find(({ instruction }) => instruction === 'HEALTHCHECK')?.text as string;
    const [node = '', ...words] = JSON.parse(health.slice(health.indexOf('['))) as string[];
    const probe = (metricsPort: number): number | null =>
      spawnSync(node, words, { env: { ...process.env, PHIAL_METRICS_PORT: String(metricsPort) } }).status;
    expect(probe(metricsOfWorker)).toBe(0);
    expect(probe(await findFreePort())).toBe(1);

    await checkNginx(port);
    await stop(api);
    await stop(worker);
    await collector.close();
  });

  /** The commands that `docker compose run` starts on the page. */
  async function runCommandsOfPage(): Promise<void> {
    const page = readFileSync('docs/operate/deploy-with-containers.md', 'utf8');
    const lines = [...page.matchAll(/^docker compose .* run --rm (?:--volume \S+ )?(\w+) (.*)$/gm)];
    const outputs: string[] = [];
    for (const [, service = '', words = ''] of lines) {
      const { ended, output } = startService(service, {}, wordsOf(words.replace('/backups', join(folder, 'backups'))));
      expect([await ended, output()]).toEqual([0, expect.anything()]);
      outputs.push(output());
    }
    expect(outputs).toEqual([
      expect.stringContaining('The organisation is in production us, on the database of DATABASE_URL.'),
      expect.stringMatching(/^https:.*\/sign-in\//),
      expect.stringMatching(/^Backed up \d+ rows/m),
    ]);
    const { ended, output } = startService('api', {}, ['backup', '--to', join(folder, 'backups', 'without-owner')]);
    expect([await ended, output()]).toEqual([
      1,
      expect.stringContaining('Name the owner in PHIAL_OWNER_DATABASE_URL.'),
    ]);
  }

  test('the commands of the units migrate, serve and work with credentials', async () => {
    const [port, metricsOfApi, metricsOfWorker] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const ofUnit = (name: string, own: Record<string, string>): Running => {
      const { command, environment, environmentFile, credentials } = readUnit(name);
      expect(environmentFile).toBe('/etc/phial/phial.env');
      const directory = join(folder, `credentials-${name}`);
      mkdirSync(directory);
      for (const [credential, path] of Object.entries(credentials))
        cpSync(join(secrets, path.replace('/etc/phial/secrets/', '')), join(directory, credential));
      const env = Object.fromEntries(
        Object.entries(environment).map(([option, value]) => [option, value.replace('%d', directory)]),
      );
      const words = command.replace('/usr/bin/node', process.execPath).replace('/opt/phial', image).split(' ');
      const options = parseEnv(readText('systemd/phial.env')) as Record<string, string>;
      return start(words, folder, { ...options, ...env, PHIAL_DATA_DIR: join(folder, 'state'), ...own });
    };
    const migration = ofUnit('phial-migrate', {});
    expect(await migration.ended, migration.output()).toBe(0);
    const api = ofUnit('phial-api', { PORT: String(port), PHIAL_METRICS_PORT: String(metricsOfApi) });
    const worker = ofUnit('phial-worker', { PHIAL_METRICS_PORT: String(metricsOfWorker) });
    for (const address of [`${port}/readyz`, `${metricsOfApi}/healthz`, `${metricsOfWorker}/readyz`])
      await expect.poll(() => answers(`http://127.0.0.1:${address}`), { timeout: 90_000 }).toBe(200);
    await stop(api);
    await stop(worker);
  });

  test('the commands of the page of systemd run with the account, options and credentials of the units', async () => {
    const { bin, script, state } = makeSystemd();
    const page = readFileSync('docs/operate/deploy-with-systemd.md', 'utf8');
    const lines = [...page.matchAll(/^\/opt\/phial\/deploy\/systemd\/phial (.*)$/gm)].map(([, words = '']) => words);
    const run = (words: string): Running => {
      const command = wordsOf(words.replace('/var/lib/phial', state));
      return start([script, ...command], folder, { PATH: `${bin}:${process.env['PATH']}` });
    };
    const outputs: string[] = [];
    for (const words of lines) {
      const { ended, output } = run(words);
      expect([await ended, output()]).toEqual([0, expect.anything()]);
      outputs.push(output());
    }
    expect(outputs).toEqual([
      expect.stringContaining('The organisation is in production us, on the database of DATABASE_URL.'),
      expect.stringMatching(/^https:.*\/sign-in\//),
      expect.stringMatching(/^Backed up \d+ rows/m),
    ]);
    const refused = run('backup --to /var/lib/phial/backups/without-owner');
    expect([await refused.ended, refused.output()]).toEqual([1, expect.stringContaining('PHIAL_OWNER_DATABASE_URL')]);
  });

  /** Makes the script of the page with folders of our own, and a program that does the part of systemd-run. */
  function makeSystemd(): { bin: string; script: string; state: string } {
    const [bin, script, state] = ['bin', 'phial', 'state-of-systemd'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const made of [bin, state]) mkdirSync(made);
    cpSync('deploy/systemd/phial.env', join(folder, 'phial.env'));
    const text = readText('systemd/phial')
      .replaceAll('/opt/phial/deploy/systemd/phial', script)
      .replaceAll('/opt/phial', image)
      .replaceAll('/usr/bin/node', process.execPath)
      .replaceAll('/etc/phial/secrets', secrets)
      .replaceAll('/etc/phial', folder)
      .replaceAll('/var/lib/phial', state);
    writeFileSync(script, text, { mode: 0o755 });
    writeFileSync(join(bin, 'systemd-run'), `#!${process.execPath}\n${SYSTEMD_RUN}`, { mode: 0o755 });
    return { bin, script, state };
  }

  /** Sends requests through nginx, if it is installed. */
  async function checkNginx(upstream: number): Promise<void> {
    if (spawnSync('nginx', ['-v']).error) return;
    const [plain, tls] = [await findFreePort(), await findFreePort()];
    const own = join(folder, 'nginx');
    mkdirSync(own);
    writeFileSync(join(own, 'certificate.pem'), CERTIFICATE);
    writeFileSync(join(own, 'key.pem'), KEY);
    const conf = readText('nginx/phial.conf')
      .replaceAll('/etc/nginx/phial', own)
      .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`)
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443', `listen 127.0.0.1:${tls}`)
      .replaceAll(/^ *listen \[::\].*\n/gm, '');
    writeFileSync(join(own, 'phial.conf'), conf);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${own};`);
    writeFileSync(
      join(own, 'nginx.conf'),
      `daemon off; user root; pid ${own}/pid; error_log ${own}/error.log; events {}
       http { ${temporary.join(' ')} include ${own}/phial.conf; }`,
    );
    const nginx = start(['nginx', '-p', own, '-c', join(own, 'nginx.conf')], own, surroundings());
    const curl = (...words: string[]): string =>
      spawnSync(
        'curl',
        ['-sk', '-o', '/dev/null', '-w', '%{http_code}', '--connect-to', `::127.0.0.1:${tls}`, ...words],
        { encoding: 'utf8' },
      ).stdout;
    const at = (path: string): string => `https://phial.example.com${path}`;
    await expect.poll(() => curl(at('/healthz')), { timeout: 30_000 }).toBe('200');
    expect(curl(at('/metrics'))).toBe('404');
    expect(curl(at('/v2/user'))).toBe('401');
    const large = join(own, 'large');
    writeFileSync(large, Buffer.alloc(51 * 1024 * 1024));
    expect(curl('-X', 'POST', '--data-binary', `@${large}`, at('/v2/user'))).toBe('413');
    expect(curl('-X', 'POST', '--data-binary', `@${large}`, at(`/v2/user/${crypto.randomUUID()}/import`))).toBe('401');
    nginx.child.kill('SIGQUIT');
    await nginx.ended;
  }
});
