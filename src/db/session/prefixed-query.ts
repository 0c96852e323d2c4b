import pg from 'pg';

/** A prepared statement that travels before another one, its own answer unread. */
export type Prefix = { name: string; values: (string | null)[] };

type Callback = (error: Error | null, result?: pg.QueryResult | pg.QueryResult[]) => void;

/** What of pg's connection a query of one's own uses, as pg-cursor and pg-query-stream do. */
type Wire = {
  stream: { cork: () => void; uncork: () => void };
  bind: (config: { statement: string; values: (string | null)[] }) => void;
  execute: (config: object) => void;
};

interface Inherited {
  submit(connection: Wire): Error | null;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
}
const BaseQuery = pg.Query as unknown as new (
  config: { text: string; name?: string; values?: unknown[]; queryMode: 'extended' },
  values: undefined,
  callback: Callback,
) => Inherited;

/**
 * A statement and what has to come before it, in one round trip up to one Sync: where a prefix fails, the server skips
 * the statement. pg's own pipeline would run it all the same, each statement having a Sync of its own.
 */
export class PrefixedQuery extends BaseQuery {
  readonly #prefixes: Prefix[];
  #unread: number;

  constructor(
    statement: { text: string; name?: string | undefined; values?: unknown[]; prefixes: Prefix[] },
    callback: Callback,
  ) {
    const { prefixes, text, name, values } = statement;
    // A simple query would not be skipped as the extended one is.
    super({ text, queryMode: 'extended', ...(name && { name }), ...(values && { values }) }, undefined, callback);
    this.#prefixes = prefixes;
    this.#unread = prefixes.length;
  }

  override submit(connection: Wire): Error | null {
    connection.stream.cork();
    try {
      for (const { name, values } of this.#prefixes) {
        connection.bind({ statement: name, values });
        connection.execute({});
      }
      return super.submit(connection);
    } finally {
      connection.stream.uncork();
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#unread === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#unread > 0) this.#unread -= 1;
    else super.handleCommandComplete(message, connection);
  }
}
