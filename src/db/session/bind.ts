// Row-level security: whose rows a statement sees is told to the server with the statement, and policies hide the rest.
// The filters of the queries are the first wall; this is the second.
import { Kysely, PostgresDialect, Transaction, type ConnectionProvider, type Driver } from 'kysely';
import { ScopedConnection, transactions } from './connection.ts';
import type { Db, Tx } from '../open.ts';
import { EVERY_TEAM, ofManagedTeam, ofOrg, ofTeam, type Scope } from './scope.ts';
import type { DB } from '../tables.ts';

type WithDb = { db: Db | Tx };

/**
 * The context for what works for all teams: the delivery loop, erasure, retention, the look-up of keys.
 * Who uses it is a list in the architecture test; whatever can be done for one team is done for one team.
 */
export const acrossTeams = <C extends WithDb>(ctx: C): C => ({ ...ctx, db: bind(ctx.db, EVERY_TEAM) });

/** The context bound to the rows of one team, inside the same transaction if there is one. */
export const boundToTeam = <C extends WithDb>(ctx: C, teamId: string): C => ({
  ...ctx,
  db: bind(ctx.db, ofTeam(teamId)),
});

/** The context bound to what belongs to one organisation itself: its teams and their keys. */
export const boundToOrg = <C extends WithDb>(ctx: C, orgId: string): C => ({ ...ctx, db: bind(ctx.db, ofOrg(orgId)) });

/** The context bound to a team and its organisation, for a management key. */
export const boundToManagedTeam = <C extends WithDb>(ctx: C, team: { id: string; org_id: string }): C => ({
  ...ctx,
  db: bind(ctx.db, ofManagedTeam(team.id, team.org_id)),
});

/** Runs `work` when a turn comes, which ends with it. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** The context of which each transaction, and each statement outside of one, has a turn for as long as it has a connection. */
export const takingTurns = <C extends WithDb>(ctx: C, inTurn: InTurn): C => {
  const executor = ctx.db.getExecutor();
  return {
    ...ctx,
    db: over(ctx.db, { provideConnection: (consumer) => inTurn(() => executor.provideConnection(consumer)) }),
  };
};

/** The same connections, seen by another; what is bound again sees as it was bound last. */
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

const dialect = new PostgresDialect({ pool: async () => Promise.reject(new Error('What is bound opens no pool.')) });
const driver = transactions as Driver; // connections come from the executor, and only their pool is closed
const STATELESS = { config: { dialect }, dialect, driver };
