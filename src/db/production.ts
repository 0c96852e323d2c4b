// What production asks of its database before anything is served: nobody listens on the way, and nobody walks through
// the walls.
import pg from 'pg';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/** Throws where a connection would leave this machine without TLS; `name` is the option that holds `url`. */
export function refuseWithoutTls(name: string, url: string): void {
  // pg's own reading of the address, with what it takes from PGHOST and PGSSLMODE: no other reading would tell the truth.
  const { host, ssl } = new pg.Client({ connectionString: url });
  if (ssl || host.startsWith('/') || LOOPBACK.test(host)) return;
  throw new Error(
    `${name} leaves this machine without TLS, and personal data would travel readable: ` +
      'add sslmode=verify-full to it (and sslrootcert=FILE where the certificate is not of a public authority).',
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
 * Throws where the role that the service logs in as could walk through row-level security: by itself, or as a role
 * that it may become. `set role phial_app` would not hold it: whoever gets to run a statement may set it back.
 */
export async function refuseStrongLogin(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'phial role check' });
  client.on('error', () => undefined); // a lost connection fails the query that is under way
  await client.connect();
  try {
    const { rows } = await client.query<Login>(LOGIN);
    const why = rows[0] && strengthOf(rows[0]);
    if (rows[0] && why) throw new Error(refusal(rows[0].name, why));
  } finally {
    await client.end();
  }
}

/** Roles that reach the files or the shell of the server, and with them everything. */
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
  if (owns) return 'owns the database or tables of it';
  if (makes_roles) return 'may make roles, and itself a member of them';
  return becomes[0] === undefined ? null : `may become ${becomes.join(', ')}`;
}

const refusal = (name: string, why: string): string =>
  `DATABASE_URL logs in as ${name}, which ${why}: row-level security would not hold it. ` +
  `Production wants a login that has nothing but phial_app. As the owner or a superuser, run\n` +
  `  create role phial_service login password '…';\n` +
  `  grant phial_app to phial_service;\n` +
  'then name phial_service in DATABASE_URL and keep the owner in PHIAL_OWNER_DATABASE_URL.';
