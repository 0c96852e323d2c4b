import { serialize } from 'pg-protocol';
import { columnTypes } from '../column-types.ts';
import { toParameter } from './parameter.ts';

/** A prepared statement that travels before another one, its own answer unread. */
export type Prefix = { name: string; values: readonly unknown[] };

/** What is sent: a name stands for one text for good, and keeps it prepared on the connection. */
export type Statement = { text: string; name?: string | undefined; values?: readonly unknown[]; prefixes: Prefix[] };

export type Answer = { command: string; rowCount: number; rows: never[] };

/** How the rows of a statement are read. */
type Shape = { names: string[]; parsers: ((text: string) => unknown)[]; empty: Record<string, null> };

/** The shapes of the statements that are prepared on a connection, by name. */
export type Shapes = Map<string, Shape>;

/** What of pg's connection is used here. */
type Wire = { stream: { write: (bytes: Buffer) => void }; parsedStatements: Record<string, string | undefined> };

type Field = { name: string; dataTypeID: number };

const NO_ROWS: Shape = { names: [], parsers: [], empty: {} };
const SYNC = serialize.sync();

/**
 * A statement and what has to come before it, in one round trip up to one Sync: where a prefix fails, the server skips
 * the statement. pg's own pipeline would run it all the same, each statement having a Sync of its own.
 *
 * It is a query of one's own for pg's client, as pg-cursor is one. Everything leaves in one write, and of a prepared
 * statement the server is asked once a connection what its rows look like: together a third of what a short statement
 * costs the process.
 */
export class RoundTrip {
  readonly name: string | undefined;
  readonly text: string;
  /** A client of a pool that has a `query_timeout` puts itself before it, to know when the statement has ended. */
  callback: (error: Error | null, answer?: Answer) => void;
  readonly #values: readonly unknown[];
  readonly #prefixes: Prefix[];
  readonly #shapes: Shapes;
  readonly #answer: Answer = { command: '', rowCount: 0, rows: [] };
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
    this.#answer.rows.push(row as never);
  }

  /** `INSERT 0 3`, `SELECT 1`, `BEGIN`. */
  handleCommandComplete({ text }: { text: string }): void {
    if (this.#unread > 0) {
      this.#unread -= 1;
      return;
    }
    // Of a statement without rows the server says nothing more than that: there is nothing to ask for again.
    if (this.name !== undefined && !this.#shape) this.#shapes.set(this.name, NO_ROWS);
    const space = text.indexOf(' ');
    this.#answer.command = space === -1 ? text : text.slice(0, space);
    if (space !== -1) this.#answer.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0;
  }

  handleReadyForQuery(): void {
    if (this.#unreadable) this.callback(this.#unreadable);
    else this.callback(null, this.#answer);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleEmptyQuery(): void {}
}
