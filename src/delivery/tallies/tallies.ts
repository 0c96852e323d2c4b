import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import type { Tx } from '../../db/open-database.ts';
import { inTransaction } from '../../db/transaction.ts';
import { partOf, PARTS } from './durations.ts';
import type { Delivery } from '../record-outcomes.ts';
import type { SendOutcome } from '../sending/send.ts';

/** The interval between two writes. If the process is killed, the counts since the last write are lost. */
const WRITE_EVERY_MS = 10_000;
const WRITTEN_AT_ONCE = 200;
/** The most endpoints that are counted between two successful writes, for example while the database is unavailable. */
const MAX_COUNTED = 50_000;

/** The endpoint id under which the counts of all endpoints of a team together are stored. */
export const ALL_ENDPOINTS = '00000000-0000-0000-0000-000000000000';

type CountedAttempt = Pick<SendOutcome, 'ok' | 'duration_ms'>;
type Tally = { team_id: string; webhook_id: string; succeeded: number; durations: number[] };

/**
 * Counts attempts by endpoint in memory, and writes the counts every few seconds, one row for each endpoint. So a
 * delivery needs no statement for its count. The statement adds the counts to those that other processes wrote for the
 * same five minutes by the clock of the database.
 */
export class Tallies {
  readonly #ctx: Ctx;
  #counted = new Map<string, Tally>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  add({ team_id, webhook_id }: Pick<Delivery, 'team_id' | 'webhook_id'>, outcome: CountedAttempt): void {
    const tally = this.#tallyOf(team_id, webhook_id);
    if (!tally) return;
    if (outcome.ok) tally.succeeded += 1;
    const part = partOf(outcome.duration_ms);
    tally.durations[part] = (tally.durations[part] as number) + 1;
  }

  /** Writes the counts. If the write fails, the counts stay in memory until the next write. */
  write(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #tallyOf(team_id: string, webhook_id: string): Tally | null {
    this.#timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref();
    const known = this.#counted.get(webhook_id);
    if (known) return known;
    if (this.#counted.size >= MAX_COUNTED) return null;
    const tally = emptyTally(team_id, webhook_id);
    this.#counted.set(webhook_id, tally);
    return tally;
  }

  async #write(): Promise<void> {
    const counted = this.#counted;
    if (counted.size === 0) return;
    this.#counted = new Map();
    // Two processes that write at the same time lock rows in the same order, the order of the keys. So they never
    // deadlock.
    const all = [...counted.values(), ...ofTeams(counted.values())].toSorted((one, other) =>
      keyOf(one) < keyOf(other) ? -1 : 1,
    );
    try {
      await inTransaction(this.#ctx, async ({ db }) => {
        for (let at = 0; at < all.length; at += WRITTEN_AT_ONCE)
          await writeTallies(db, all.slice(at, at + WRITTEN_AT_ONCE));
      });
    } catch (err) {
      this.#ctx.log.warn({ err }, 'counts of delivery attempts could not be written; trying again later');
      for (const { team_id, webhook_id, ...more } of counted.values()) {
        const tally = this.#tallyOf(team_id, webhook_id);
        if (tally) addTo(tally, more);
      }
    }
  }
}

const keyOf = ({ team_id, webhook_id }: Tally): string => `${team_id} ${webhook_id}`;

function addTo(tally: Tally, { succeeded, durations }: Pick<Tally, 'succeeded' | 'durations'>): void {
  tally.succeeded += succeeded;
  for (const [part, count] of durations.entries()) tally.durations[part] = (tally.durations[part] as number) + count;
}

const emptyTally = (team_id: string, webhook_id: string): Tally => ({
  team_id,
  webhook_id,
  succeeded: 0,
  durations: Array<number>(PARTS).fill(0),
});

function ofTeams(tallies: Iterable<Tally>): Tally[] {
  const teams = new Map<string, Tally>();
  for (const tally of tallies) {
    const team = teams.get(tally.team_id) ?? emptyTally(tally.team_id, ALL_ENDPOINTS);
    teams.set(tally.team_id, team);
    addTo(team, tally);
  }
  return [...teams.values()];
}

/** Adds the counts to the stored ones. It ignores the counts of deleted teams. */
async function writeTallies(db: Tx, tallies: Tally[]): Promise<void> {
  await sql`
    insert into delivery_tallies as there (team_id, webhook_id, started_at, succeeded, durations)
    select counted.team_id, counted.webhook_id, date_bin('5 minutes', now(), timestamptz 'epoch'), counted.succeeded,
        counted.durations::integer[]
      from unnest(${tallies.map((tally) => tally.team_id)}::uuid[], ${tallies.map((tally) => tally.webhook_id)}::uuid[],
                  ${tallies.map((tally) => tally.succeeded)}::integer[],
                  ${tallies.map((tally) => `{${tally.durations.join(',')}}`)}::text[])
           as counted (team_id, webhook_id, succeeded, durations)
      join teams on teams.id = counted.team_id
     order by counted.team_id, counted.webhook_id
    on conflict (team_id, webhook_id, started_at) do update
       set succeeded = there.succeeded + excluded.succeeded,
           durations = array(select was + more
                               from unnest(there.durations, excluded.durations) with ordinality as part (was, more, n)
                              order by n)`.execute(db);
}
