import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { join } from 'node:path';
import { openEmbedded } from '@phial/embedded-postgres/open';
import { migrate } from '../src/db/migrate.ts';
import { seed } from '../src/db/seed.ts';
import { openLog } from '../src/log.ts';
import { openScratch } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serverUrl: string;
    template: string;
  }
}

/** Starts PostgreSQL (or uses PHIAL_TEST_DATABASE_URL) and migrates one template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = openScratch();
  const given = process.env['PHIAL_TEST_DATABASE_URL'];
  const embedded = given ? null : await startEmbedded(join(scratch.folder, 'postgres'));
  const serverUrl = given ?? (embedded as { url: string }).url;
  const template = `phial_template_${process.pid}`;
  await query(serverUrl, `create database ${template}`);
  await migrate({ ownerUrl: databaseUrl(serverUrl, template), directory: 'migrations' });
  await seed({ ownerUrl: databaseUrl(serverUrl, template), directory: 'seeds/sandbox' });
  project.provide('serverUrl', serverUrl);
  project.provide('template', template);
  return async () => {
    if (given) await query(serverUrl, `drop database ${template} with (force)`);
    await embedded?.stop();
    scratch.close();
  };
}

async function startEmbedded(dataDir: string): ReturnType<typeof openEmbedded> {
  const server = await openEmbedded({
    dataDir,
    applicationName: 'phial test',
    lock: 'required',
    log: openLog('silent'),
  });
  await forgetCrashes(server.url);
  return server;
}

/** The server of a test run is deleted with it, so it need not write safely to the disk. */
async function forgetCrashes(serverUrl: string): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await query(serverUrl, `alter system set ${setting} = off`);
  await query(serverUrl, 'select pg_reload_conf()');
}

/** Copies the files of the small template. To write each of its pages to the log would take three times as long. */
export async function cloneDatabase(serverUrl: string, name: string, template: string): Promise<void> {
  await (await adminOf(serverUrl)).query(`create database ${name} template ${template} strategy file_copy`);
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await (await adminOf(serverUrl)).query(`drop database ${name} with (force)`);
}

const admins = new Map<string, Promise<pg.Client>>();

/** All files of a worker make and drop databases on one connection. It lasts until the worker ends. */
function adminOf(serverUrl: string): Promise<pg.Client> {
  const admin = admins.get(serverUrl) ?? openAdmin(serverUrl);
  admins.set(serverUrl, admin);
  return admin;
}

async function openAdmin(serverUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: serverUrl });
  client.on('error', () => admins.delete(serverUrl)); // the server stops before the worker ends
  await client.connect();
  // Neither a worker nor a test that looks for open sockets waits for it. The types of pg lack the function.
  (client as pg.Client & { unref: () => void }).unref();
  return client;
}

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

export async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const response: { rows?: unknown[] } = await client.query(text);
    return (response.rows ?? []) as Row[];
  } finally {
    await client.end();
  }
}
