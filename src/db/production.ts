// Checks of the database in production, before the service accepts requests. Nobody else may be able to read the
// traffic to the database. The service must not be able to bypass the row-level-security policies.
import pg from 'pg';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/** Throws if the connection leaves this machine without TLS. `name` is the option that contains `url`. */
export function refuseWithoutTls(name: string, url: string): void {
  // We let pg parse the URL, because pg also applies PGHOST and PGSSLMODE. A parser of our own could come to another
  // result.
  const { host, ssl } = new pg.Client({ connectionString: url });
  if (ssl || host.startsWith('/') || LOOPBACK.test(host)) return;
  throw new Error(
    `${name} connects to another machine without TLS, and personal data would be readable on the way: ` +
      'add sslmode=verify-full to it (and sslrootcert=FILE where no public authority issued the certificate).',
  );
}

type Login = {
  name: string;
  superuser: boolean;
  bypasses: boolean;
  makes_roles: boolean;
  owns: boolean;
  becomes: string[];
};

/**
 * Throws if the login of the service, or a role that it can take, could bypass row-level security. The service runs
 * `set role phial_app`, but that is not enough. An attacker who can run a statement could reset the role.
 */
export async function refusePrivilegedLogin(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'phial role check' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    const { rows } = await client.query<Login>(LOGIN);
    const why = rows[0] && strengthOf(rows[0]);
    if (rows[0] && why) throw new Error(refusal(rows[0].name, why));
  } finally {
    await client.end();
  }
}

/**
 * Throws the refusal of the login if it is an owner that may not become phial_app, otherwise `error`. PostgreSQL then
 * refuses each connection before we can ask who the login is.
 */
export async function refuseOwnerLogin(error: unknown, url: string): Promise<never> {
  if ((error as { code?: unknown }).code === '42501') await refusePrivilegedLogin(url);
  throw error;
}

/** Roles that can use the files or the shell of the server. With these, a login could read all data. */
const OF_THE_SERVER = ['pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'];

const LOGIN = `
  with owners as (
    select relowner as oid from pg_class
     where relnamespace in (to_regnamespace('public'), to_regnamespace('graphile_worker'))
    union
    select datdba from pg_database where datname = current_database()
  )
  select self.rolname as name, self.rolsuper as superuser, self.rolbypassrls as bypasses,
         self.rolcreaterole as makes_roles, self.oid in (select oid from owners) as owns,
         array(select other.rolname::text from pg_roles other
                where other.oid <> self.oid and pg_has_role(self.oid, other.oid, 'MEMBER')
                  and (other.rolsuper or other.rolbypassrls or other.rolcreaterole
                       or other.rolname = any ('{${OF_THE_SERVER.join(',')}}')
                       or other.oid in (select oid from owners))
                order by other.rolname) as becomes
    from pg_roles self
   where self.rolname = session_user`;

function strengthOf({ superuser, bypasses, makes_roles, owns, becomes }: Login): string | null {
  if (superuser) return 'is a superuser';
  if (bypasses) return 'bypasses row-level security';
  if (owns) return 'owns the database or some of its tables';
  if (makes_roles) return 'may make roles, and make itself a member of them';
  return becomes[0] === undefined ? null : `may become ${becomes.join(', ')}`;
}

const refusal = (name: string, why: string): string =>
  `DATABASE_URL logs in as ${name}, which ${why}, so row-level security would not restrict it. ` +
  `Production needs a login that is a member of phial_app and nothing else. As the owner or a superuser, run\n` +
  `  create role phial_service login password '…';\n` +
  `  grant phial_app to phial_service;\n` +
  'then name phial_service in DATABASE_URL, and the owner in PHIAL_OWNER_DATABASE_URL.';
