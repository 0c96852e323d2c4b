// The service logs in as a role that is no superuser. So even `set role none` gives it no superuser rights.
import { createHmac } from 'node:crypto';
import { type Client, escapeLiteral } from 'pg';
import { hasCode } from './errors.ts';

/** The role of the service. Migrations create it without a login if it does not exist. */
export const serviceRole = 'phial_app';

/**
 * Returns the password of the service's role. It is derived from the superuser's password, so a data directory has to
 * store only that one.
 */
export const servicePassword = (superuserPassword: string): string =>
  createHmac('sha256', superuserPassword).update('phial service role').digest('base64url');

/** Creates the role if it is missing, and lets it log in. Another process may do the same at the same time. */
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
