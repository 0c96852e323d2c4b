import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { databaseUrl, dropDatabase, query } from '../../test/global-setup.ts';
import { refusePrivilegedLogin, refuseWithoutTls } from './production.ts';

describe('a connection in production', () => {
  test.each([
    'postgres://phial@db.example.com/phial',
    'postgres://phial@db.example.com/phial?sslmode=disable',
    'postgres://phial@10.0.0.7/phial',
    'postgres://phial@localhost.example.com/phial',
    'postgres://phial@localhost/phial?host=db.example.com',
  ])('is refused where it goes to another machine without TLS: %s', (url) => {
    expect(() => refuseWithoutTls('DATABASE_URL', url)).toThrow(
      /^DATABASE_URL connects to another machine without TLS/,
    );
  });

  test.each([
    'postgres://phial@db.example.com/phial?ssl=true',
    'postgres://phial@db.example.com/phial?sslmode=verify-full',
    'postgres://phial@localhost/phial',
    'postgres://phial@127.0.0.1:5433/phial',
    'postgres://phial@[::1]/phial',
    'postgres://phial@/phial?host=/var/run/postgresql',
  ])('is accepted: %s', (url) => {
    expect(() => refuseWithoutTls('DATABASE_URL', url)).not.toThrow();
  });
});

describe('the login in production', () => {
  const run = randomUUID().slice(0, 8);
  const [database, owner, service] = [`production_${run}`, `owner_${run}`, `service_${run}`];
  const server = inject('serverUrl');
  const login = (): string => {
    const url = new URL(databaseUrl(server, database));
    [url.username, url.password] = [service, 'service'];
    return url.href;
  };
  beforeAll(async () => {
    await query(server, `create role ${owner}`);
    await query(server, `create role ${service} login password 'service'; grant phial_app to ${service}`);
    await query(server, `create database ${database} owner ${owner}`);
    await query(databaseUrl(server, database), 'create table things (id int)');
  });
  afterAll(async () => {
    await dropDatabase(server, database);
    await query(server, `drop role ${service}; drop role ${owner}`);
  });

  test('is accepted when it is a member of phial_app and nothing else', async () => {
    await expect(refusePrivilegedLogin(login())).resolves.toBeUndefined();
  });

  test.each([
    ['is a superuser', `alter role ${service} superuser`, `alter role ${service} nosuperuser`],
    ['bypasses row-level security', `alter role ${service} bypassrls`, `alter role ${service} nobypassrls`],
    ['may make roles', `alter role ${service} createrole`, `alter role ${service} nocreaterole`],
    [`may become ${owner}`, `grant ${owner} to ${service}`, `revoke ${owner} from ${service}`],
    ['owns the database', `alter table things owner to ${service}`, `alter table things owner to ${owner}`],
    [
      'may become pg_write_server_files',
      `grant pg_write_server_files to ${service}`,
      `revoke pg_write_server_files from ${service}`,
    ],
  ])('that %s is refused, with the statements to run', async (why, make, unmake) => {
    await query(databaseUrl(server, database), make);
    const refused = await refusePrivilegedLogin(login()).catch((error: Error) => error.message);
    await query(databaseUrl(server, database), unmake);
    expect(refused).toContain(`DATABASE_URL logs in as ${service}, which ${why}`);
    expect(refused).toContain('grant phial_app to phial_service;');
  });
});
