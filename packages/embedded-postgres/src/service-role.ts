// The service logs in as a role that is not a superuser. So `set role none` gives it no superuser rights.
import { createHmac } from 'node:crypto';
import { type Client, escapeLiteral } from 'pg';
import { hasCode } from './errors.ts';

/** The role of the service. If it does not exist, migrations create it without a login. */
export const serviceRole = 'phial_app';

/**
 * Returns the password of the service's role. We derive it from the superuser's password, so it also works for data
 * directories that store only that password.
 */
export const servicePassword = (superuserPassword: string): string =>
  createHmac('sha256', superuserPassword).update('phial service role').digest('base64url');

/** Creates the role if it is missing, and lets it log in. Another process may do the same at this moment. */
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
