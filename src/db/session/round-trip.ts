import { serialize } from 'pg-protocol';
import { columnTypes } from '../column-types.ts';
import { toParameter } from './parameter.ts';

/** A prepared statement that we send before another one, in the same round trip. We ignore its result. */
export type Prefix = { name: string; values: readonly unknown[] };

/**
 * A statement to send. A name belongs to one text for good, and the connection keeps the prepared statement under this
 * name.
 */
export type Statement = { text: string; name?: string | undefined; values?: readonly unknown[]; prefixes: Prefix[] };

export type StatementResult = { command: string; rowCount: number; rows: never[] };

/** The columns of a statement, and how to parse them. */
type Shape = { names: string[]; parsers: ((text: string) => unknown)[]; empty: Record<string, null> };

/** The columns of the statements that are prepared on a connection, by name. */
export type Shapes = Map<string, Shape>;

/** The parts of pg's connection that we use. */
type Wire = { stream: { write: (bytes: Buffer) => void }; parsedStatements: Record<string, string | undefined> };

type Field = { name: string; dataTypeID: number };

const NO_ROWS: Shape = { names: [], parsers: [], empty: {} };
const SYNC = serialize.sync();

/**
 * Sends a statement and its prefixes in one round trip, with one Sync message at the end. PostgreSQL skips everything
 * up to the Sync if a prefix fails. In pg's own pipeline each statement has its own Sync, so the server would run the
 * statement although the prefix failed.
 * This is a custom query for pg's client, like pg-cursor. It sends everything in one write, and asks for the columns of
 * a prepared statement only once per connection. For a short statement, this saves a third of the process's time.
 */
export class RoundTrip {
  readonly name: string | undefined;
  readonly text: string;
  /** If the pool has a `query_timeout`, pg replaces this function to learn when the statement has ended. */
  callback: (error: Error | null, response?: StatementResult) => void;
  readonly #values: readonly unknown[];
  readonly #prefixes: Prefix[];
  readonly #shapes: Shapes;
  readonly #response: StatementResult = { command: '', rowCount: 0, rows: [] };
  #shape: Shape | undefined;
  #unread: number;
  #unreadable: Error | null = null;

  constructor({ text, name, values = [], prefixes }: Statement, shapes: Shapes, callback: RoundTrip['callback']) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values;
    this.#prefixes = prefixes;
    this.#shapes = shapes;
    this.#unread = prefixes.length;
  }

  submit({ stream, parsedStatements }: Wire): Error | null {
    const { name = '', text } = this;
    const messages: Buffer[] = [];
    try {
      for (const prefix of this.#prefixes) {
        const values = prefix.values as unknown[];
        messages.push(
          serialize.bind({ statement: prefix.name, values, valueMapper: toParameter }),
          serialize.execute(),
        );
      }
      if (name === '' || parsedStatements[name] === undefined) messages.push(serialize.parse({ name, text }));
      messages.push(serialize.bind({ statement: name, values: this.#values as unknown[], valueMapper: toParameter }));
    } catch (error) {
      return error as Error;
    }
    this.#shape = this.#shapes.get(name);
    if (!this.#shape) messages.push(serialize.describe({ type: 'P' }));
    messages.push(serialize.execute(), SYNC);
    stream.write(Buffer.concat(messages));
    return null;
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    const names = fields.map((field) => field.name);
    this.#shape = {
      names,
      parsers: fields.map((field) => columnTypes.getTypeParser(field.dataTypeID, 'text') as (text: string) => unknown),
      empty: Object.fromEntries(names.map((column) => [column, null])) as Record<string, null>,
    };
    if (this.name !== undefined) this.#shapes.set(this.name, this.#shape);
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#unread > 0 || this.#unreadable) return;
    const { names, parsers, empty } = this.#shape as Shape;
    const row: Record<string, unknown> = { ...empty };
    try {
      for (let n = 0; n < fields.length; n += 1) {
        const text = fields[n] as string | null;
        if (text !== null) row[names[n] as string] = (parsers[n] as (text: string) => unknown)(text);
      }
    } catch (error) {
      this.#unreadable = error as Error;
    }
    this.#response.rows.push(row as never);
  }

  /** Reads the tag of a command, for example `INSERT 0 3`, `SELECT 1` or `BEGIN`. */
  handleCommandComplete({ text }: { text: string }): void {
    if (this.#unread > 0) {
      this.#unread -= 1;
      return;
    }
    // If a statement returns no rows, the server sends no columns. We store that, so that we do not ask again.
    if (this.name !== undefined && !this.#shape) this.#shapes.set(this.name, NO_ROWS);
    const space = text.indexOf(' ');
    this.#response.command = space === -1 ? text : text.slice(0, space);
    if (space !== -1) this.#response.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0;
  }

  handleReadyForQuery(): void {
    if (this.#unreadable) this.callback(this.#unreadable);
    else this.callback(null, this.#response);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleEmptyQuery(): void {}
}
