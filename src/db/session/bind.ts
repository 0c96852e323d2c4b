// Binds a context to a scope for row-level security. We send the scope of each statement to the server, and
// PostgreSQL's policies hide all rows outside of it. So if a query of ours lacks its filter by team, it still shows no
// rows of other teams.
import { Kysely, PostgresDialect, Transaction, type ConnectionProvider, type Driver } from 'kysely';
import { ScopedConnection, transactions } from './scoped-connection.ts';
import type { Db, Tx } from '../open-database.ts';
import { EVERY_TEAM, ofManagedTeam, ofOrg, ofTeam, type Scope } from './row-scope.ts';
import type { DB } from '../tables.ts';

type WithDb = { db: Db | Tx };

/**
 * Returns the context for work on all teams: deliveries, erasure, retention, and the look-up of keys. The architecture
 * test lists the files that may use it. Work that can be done for one team at a time must use the context of that team.
 */
export const acrossTeams = <C extends WithDb>(ctx: C): C => ({ ...ctx, db: bind(ctx.db, EVERY_TEAM) });

/** Returns the context bound to the rows of one team. If the caller has a transaction, the new context uses it. */
export const boundToTeam = <C extends WithDb>(ctx: C, teamId: string): C => ({
  ...ctx,
  db: bind(ctx.db, ofTeam(teamId)),
});

/** Returns the context bound to the rows of an organisation: its teams and their keys. */
export const boundToOrg = <C extends WithDb>(ctx: C, orgId: string): C => ({ ...ctx, db: bind(ctx.db, ofOrg(orgId)) });

/** Returns the context bound to a team and its organisation, for a management key. */
export const boundToManagedTeam = <C extends WithDb>(ctx: C, team: { id: string; org_id: string }): C => ({
  ...ctx,
  db: bind(ctx.db, ofManagedTeam(team.id, team.org_id)),
});

/** Waits for a permit, runs `work`, and then releases the permit. */
export type WithPermit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns a context that takes a permit whenever it uses a connection: for each transaction, and for each statement
 * outside of a transaction.
 */
export const withPermitPerConnection = <C extends WithDb>(ctx: C, withPermit: WithPermit): C => {
  const executor = ctx.db.getExecutor();
  return {
    ...ctx,
    db: over(ctx.db, { provideConnection: (consumer) => withPermit(() => executor.provideConnection(consumer)) }),
  };
};

/** Returns `db` with another scope on the same connections. If `db` has a scope already, the new one replaces it. */
function bind(db: Db | Tx, scope: Scope): Db | Tx {
  const executor = db.getExecutor();
  const provider: ConnectionProvider = {
    provideConnection: (consumer) =>
      executor.provideConnection((connection) => consumer((connection as ScopedConnection).seenBy(scope))),
  };
  return over(db, provider);
}

function over(db: Db | Tx, provider: ConnectionProvider): Db | Tx {
  const props = { ...STATELESS, executor: db.getExecutor().withConnectionProvider(provider) };
  return db.isTransaction ? new Transaction<DB>(props) : new Kysely<DB>(props);
}

const dialect = new PostgresDialect({ pool: async () => Promise.reject(new Error('A bound database opens no pool.')) });
// This driver only begins and ends transactions. A bound database gets its connections from the executor of `db`.
const driver = transactions as Driver;
const STATELESS = { config: { dialect }, dialect, driver };
