import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import pg from 'pg';
import { kindOfError } from '../../log.ts';
import type { Traces } from '../../traces/traces.ts';
import { BY_INDEX, goesByIndex } from './by-index.ts';
import { nameOf } from './prepared.ts';
import { RoundTrip, type StatementResult, type Prefix, type Shapes, type Statement } from './round-trip.ts';
import { NOBODY, type Scope } from './row-scope.ts';
import { isUnavailable } from './unavailable.ts';
import { UnrecordedServer } from './unrecorded-server.ts';

const BEGIN: Prefix = { name: 'phial_begin', values: [] };
const ROLLS_BACK = /^\s*rollback/i;
const SET_SCOPE = 'phial_scope';
const SET_SCOPE_TEXT = `select set_config('phial.team', $1, false), set_config('phial.org', $2, false),
  set_config('phial.across', $3, false)`;
const NOTE_SERVER = 'select public.note_cluster()';
const PLAN_BY_INDEX: Prefix = { name: 'phial_by_index', values: [] };
const PLAN_BY_INDEX_TEXT = `select ${Object.entries(BY_INDEX)
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ')}`;

/**
 * A statement that we send together with the next one. We ignore its result. `name` is the name of its prepared
 * statement.
 */
type Ahead = { query: CompiledQuery; name: string; scope: Scope };

/**
 * One connection of the pool. It remembers the scope that the server has. If a statement needs another scope, the
 * connection sends the scope in the same round trip as the statement. It also sends `begin` in the same round trip as
 * the first statement of the transaction.
 */
class Session {
  readonly #client: pg.PoolClient;
  readonly #onError: (error: unknown) => void;
  readonly #silentMs: number;
  readonly #traces: Traces | null;
  /**
   * The key of the scope that the server has. Null if we do not know that, for example because the server may have
   * rolled a transaction back.
   */
  #scope: string | null = null;
  #transaction: 'none' | 'asked for' | 'open' = 'none';
  #last: (Prefix & { text: string }) | null = null;
  #ahead: Ahead[] = [];
  readonly #prepared = new Set<string>();
  readonly #shapes: Shapes = new Map();
  #broken = false;

  constructor(client: pg.PoolClient, { onError, silentMs, traces }: DriverOptions) {
    this.#client = client;
    this.#onError = onError;
    this.#silentMs = silentMs;
    this.#traces = traces;
  }

  /** Prepares the statements that we later send by name only. Called once for each connection. */
  async prepare(): Promise<this> {
    await this.#recordServer();
    await this.#send({ name: BEGIN.name, text: 'begin', prefixes: [] });
    await this.#send({ name: SET_SCOPE, text: SET_SCOPE_TEXT, values: NOBODY.settings, prefixes: [] });
    await this.#send({ name: PLAN_BY_INDEX.name, text: PLAN_BY_INDEX_TEXT, prefixes: [] });
    await this.#send({ text: 'commit', prefixes: [] });
    this.#scope = NOBODY.key;
    return this;
  }

  /**
   * Records in the database which server this is. After a restore or a failover, the database may be on another server,
   * which counts transaction ids differently. We must record that before we write or read events there.
   */
  async #recordServer(): Promise<void> {
    try {
      await this.#send({ text: NOTE_SERVER, prefixes: [] });
    } catch (error) {
      if (isUnavailable(error)) throw error;
      const unnoted = new UnrecordedServer(error);
      this.#onError(unnoted);
      throw unnoted;
    }
  }

  begin(): void {
    this.#transaction = 'asked for';
    this.#last = null;
    this.#ahead = [];
  }

  /** Sends the statement together with the commit of the running transaction. Either both succeed or neither. */
  runAtCommit(statement: Prefix & { text: string }): void {
    this.#last = statement;
  }

  /** Sends the statement together with the next statement of the transaction, or with its commit. */
  sendWithNext(query: CompiledQuery, scope: Scope): void {
    const name = nameOf(query);
    if (this.#transaction === 'none') throw new Error('A statement can travel ahead only inside a transaction.');
    if (name === undefined) throw new Error('A statement can travel ahead only if its text is always the same.');
    this.#ahead.push({ query, name, scope });
  }

  /**
   * Commits. If a statement failed and the caller caught its error, PostgreSQL rolls back instead. Then this function
   * throws.
   */
  async commit(): Promise<void> {
    const prefixes = await this.#takeLast(await this.#takeWaitingStatements());
    const open = this.#transaction === 'open';
    if (!open) this.#transaction = 'none';
    else if ((await this.#end('commit', prefixes)) !== 'COMMIT')
      throw new Error('The transaction was rolled back, because one of its statements had failed.');
  }

  async rollback(): Promise<void> {
    const open = this.#transaction === 'open';
    this.#ahead = [];
    if (!open) this.#transaction = 'none';
    else await this.#end('rollback');
  }

  /**
   * Returns the statements to send before `commit`. The last of them may not be prepared on this connection yet. Then
   * the function first sends it in a round trip of its own, which prepares it.
   */
  async #takeLast(before: Prefix[]): Promise<Prefix[]> {
    const last = this.#last;
    this.#last = null;
    if (!last) return before;
    const prefixes = [...before, ...this.#beginPrefix()];
    if (this.#prepared.has(last.name)) return [...prefixes, last];
    await this.#send({ ...last, prefixes });
    this.#prepared.add(last.name);
    return [];
  }

  /**
   * Returns the waiting statements to send with the next round trip, each with its prefixes. If one of them is not
   * prepared on this connection yet, the function first sends it in a round trip of its own, which prepares it.
   */
  async #takeWaitingStatements(): Promise<Prefix[]> {
    let prefixes: Prefix[] = [];
    for (const { query, name, scope } of this.#ahead.splice(0)) {
      const values = query.parameters;
      prefixes.push(...this.#beginPrefix(), ...this.#scopeOf(scope));
      if (this.#prepared.has(name)) prefixes.push({ name, values });
      else {
        await this.#send({ text: query.sql, name, values, prefixes });
        this.#prepared.add(name);
        prefixes = [];
      }
    }
    return prefixes;
  }

  #beginPrefix(): Prefix[] {
    if (this.#transaction !== 'asked for') return [];
    this.#transaction = 'open';
    return [BEGIN];
  }

  #scopeOf(scope: Scope): Prefix[] {
    if (this.#scope === scope.key) return [];
    this.#scope = scope.key;
    return [{ name: SET_SCOPE, values: scope.settings }];
  }

  async #end(how: 'commit' | 'rollback', prefixes: Prefix[] = []): Promise<string> {
    const { command } = await this.#send({ text: how, name: `phial_${how}`, prefixes });
    this.#transaction = 'none';
    if (command !== 'COMMIT') this.#scope = null;
    return command;
  }

  async run(query: CompiledQuery, scope: Scope): Promise<StatementResult> {
    const prefixes = this.#ahead.length > 0 ? await this.#takeWaitingStatements() : [];
    prefixes.push(...this.#beginPrefix());
    if (ROLLS_BACK.test(query.sql)) this.#scope = null;
    else prefixes.push(...this.#scopeOf(scope));
    // Outside of a transaction, these settings apply only to this round trip.
    if (goesByIndex(query)) prefixes.push(PLAN_BY_INDEX);
    return this.#send({ text: query.sql, name: nameOf(query), values: query.parameters, prefixes });
  }

  /**
   * Sends a statement and its prefixes, with our own time limit. pg's `query_timeout` would keep each result in memory
   * until the next major garbage collection. It stores a function in the query, and V8 therefore moves the query to the
   * old generation at once.
   */
  async #send(statement: Statement): Promise<StatementResult> {
    let timer: NodeJS.Timeout | undefined;
    const span = this.#traces?.beginStatement(statement.text);
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('Query read timeout')), this.#silentMs);
        const roundTrip = new RoundTrip(statement, this.#shapes, (error, response) =>
          error ? reject(error) : resolve(response as StatementResult),
        );
        this.#client.query(roundTrip as unknown as pg.Submittable);
      });
    } catch (error) {
      span?.end({}, kindOfError(error));
      this.#scope = null;
      this.#onError(error);
      // If the error does not come from the server, the statement may still be running there. So we must not use the
      // connection again.
      if (!(error instanceof pg.DatabaseError)) this.#broken = true;
      throw error;
    } finally {
      span?.end();
      clearTimeout(timer);
    }
  }

  release(): void {
    this.#client.release(this.#broken || this.#transaction !== 'none');
  }
}

/** A session with a scope. Kysely runs its statements here. */
export class ScopedConnection implements DatabaseConnection {
  readonly session: Session;
  readonly #scope: Scope;

  constructor(session: Session, scope: Scope) {
    this.session = session;
    this.#scope = scope;
  }

  sendWithNext(query: CompiledQuery): void {
    this.session.sendWithNext(query, this.#scope);
  }

  seenBy(scope: Scope): ScopedConnection {
    return new ScopedConnection(this.session, scope);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.session.run(query, this.#scope);
    const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    return changes ? { numAffectedRows: BigInt(rowCount), rows } : { rows };
  }

  // eslint-disable-next-line require-yield -- nothing here reads by cursor
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Statements are not read by cursor.');
  }
}

const sessionOf = (connection: DatabaseConnection): Session => (connection as ScopedConnection).session;

/** Functions with which Kysely begins and ends transactions, for every pool. */
export const transactions: Pick<Driver, 'beginTransaction' | 'commitTransaction' | 'rollbackTransaction'> = {
  beginTransaction: async (connection, { isolationLevel, accessMode }) => {
    if (isolationLevel || accessMode)
      throw new Error('Transactions of the service take no isolation level and no access mode.');
    sessionOf(connection).begin();
  },
  commitTransaction: (connection) => sessionOf(connection).commit(),
  rollbackTransaction: (connection) => sessionOf(connection).rollback(),
};

type DriverOptions = {
  /** Called for every statement that fails. */
  onError: (error: unknown) => void;
  /** Called for every new connection when it is ready. */
  onReady: () => void;
  /**
   * A statement fails if the server sends nothing for this long. A network that drops packets does not break the
   * connection, so we would otherwise wait forever.
   */
  silentMs: number;
  traces: Traces | null;
};

/** Returns Kysely's driver for the pool. A connection sees no rows of any team until it is bound to a scope. */
export function poolDriver(pool: pg.Pool, options: DriverOptions): Driver {
  const sessions = new WeakMap<pg.PoolClient, Session>();
  return {
    ...transactions,
    init: async () => undefined,
    acquireConnection: async () => {
      const client = await pool.connect();
      let session = sessions.get(client);
      if (!session) {
        try {
          session = await new Session(client, options).prepare();
          options.onReady();
        } catch (error) {
          client.release(true);
          throw error;
        }
        sessions.set(client, session);
      }
      return new ScopedConnection(session, NOBODY);
    },
    releaseConnection: async (connection) => sessionOf(connection).release(),
    destroy: () => pool.end(),
  };
}
