import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { Outage } from '../db/session/outage.ts';
import { toRow, type AuditEntry, type AuditRow } from './entry.ts';

const FLUSH_MS = 100;
const MAX_AT_ONCE = 1_000;
const MAX_WAITING = 20_000;

/**
 * Writes the audit lines of requests that have no transaction of their own: requests that only read, and refused
 * changes. A response does not wait for its line, which we write within about 100 ms. So a killed process loses the
 * lines of that time. A process that stops normally loses none.
 */
export class AuditWriter {
  readonly #ctx: Ctx;
  readonly #outage: Outage;
  #waiting: AuditRow[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#outage = new Outage(ctx.log, 'audit lines wait for the database');
  }

  add(entry: AuditEntry): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(toRow(entry));
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Writes all waiting lines. If that fails, they wait for the next flush. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /**
   * Writes the waiting lines for the last time. If the database is unavailable, the lines are lost, and the log says
   * so.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#waiting.length > 0) {
      this.#ctx.log.error(
        { lost: this.#waiting.length },
        'audit lines were lost: the database is unavailable at the stop',
      );
    }
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        await this.#writeFirst();
      } catch (err) {
        this.#outage.met(err);
        if (!this.#closed) this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS * 10);
        return;
      }
      this.#outage.over();
      if (this.#lost > 0) this.#ctx.log.error({ lost: this.#lost }, 'audit lines were lost: too many waited');
      this.#lost = 0;
    }
  }

  /**
   * Writes the first waiting lines in one statement. If the database rejects a value, it writes each line separately,
   * and drops the line with that value.
   */
  async #writeFirst(): Promise<void> {
    const rows = this.#waiting.slice(0, MAX_AT_ONCE);
    try {
      await this.#insert(rows);
      this.#waiting.splice(0, rows.length);
    } catch (err) {
      if (!isRefusedForItsData(err)) throw err;
      for (const row of rows) {
        await this.#writeAlone(row);
        this.#waiting.shift();
      }
    }
  }

  async #writeAlone(row: AuditRow): Promise<void> {
    try {
      await this.#insert([row]);
    } catch (err) {
      if (!isRefusedForItsData(err)) throw err;
      const { action, request_id } = row;
      this.#ctx.log.error(
        { err, action, request_id },
        'an audit line was lost: the database rejects one of its values',
      );
    }
  }

  async #insert(rows: AuditRow[]): Promise<void> {
    await sql`
      insert into audit_log
        (id, org_id, team_id, key_id, person_id, actor, action, status, records, request_id, address)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x
        (id uuid, org_id uuid, team_id uuid, key_id uuid, person_id uuid, actor text, action text, status smallint,
         records uuid[], request_id uuid, address inet)`.execute(this.#ctx.db);
  }
}

/** Returns true for SQLSTATE class 22 (data exception). A retry would fail in the same way. */
function isRefusedForItsData(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^22\w{3}$/.test(code);
}
