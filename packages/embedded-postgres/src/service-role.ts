// The service logs in as a plain role: no `set role none` makes a superuser of it.
import { createHmac } from 'node:crypto';
import { type Client, escapeLiteral } from 'pg';
import { hasCode } from './errors.ts';

/** The role that the service acts as everywhere; migrations make it without a login where nobody gave it one. */
export const serviceRole = 'phial_app';

/** Follows from the superuser's password, so that data directories that know only that one serve as well. */
export const servicePassword = (superuserPassword: string): string =>
  createHmac('sha256', superuserPassword).update('phial service role').digest('base64url');

/** Lets the role log in, and makes it if need be; another start may be doing the same. */
export async function ensureServiceRole(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1 and rolcanlogin', [serviceRole]);
  if (rowCount !== 0) return;
  const login = `login password ${escapeLiteral(password)}`;
  try {
    await client.query(`create role ${serviceRole} ${login}`);
  } catch (error) {
    if (!hasCode(error, '42710', '23505')) throw error;
    await client.query(`alter role ${serviceRole} ${login}`);
  }
}
