import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { notFound, StreamEnded } from '../errors.ts';
import { ownerOf } from '../fair/round-robin.ts';
import { MIN_ID } from '../ids.ts';
import * as insurance from '../insurance/erase.ts';
import * as catalogue from '../labs/catalogue/erase.ts';
import * as hl7 from '../labs/laboratories/hl7/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as results from '../labs/results/erase.ts';
import * as labReports from '../labs/results/parser/erase.ts';
import * as pipelines from '../pipelines/erase.ts';
import { exportedRows, openRow, type ExportedRow, type Exports } from '../privacy/export-rows.ts';
import * as tenancy from '../tenancy/erase.ts';
import * as users from '../users/erase.ts';
import * as continuousQueries from '../wearables/aggregate/continuous/erase.ts';
import * as connections from '../wearables/connections/erase.ts';
import * as files from '../wearables/files/erase.ts';
import * as link from '../wearables/link/erase.ts';
import * as priorities from '../wearables/priorities/erase.ts';
import * as pulls from '../wearables/pulls/erase.ts';
import * as summaries from '../wearables/summaries/erase.ts';
import * as timeseries from '../wearables/timeseries/erase.ts';
import * as webhooks from '../webhooks/erase.ts';
import { endExport, renewExport } from './export-lease.ts';
import type { ExportLine } from './schemas.ts';

/** Every module that exports data, in the order in which their lines appear. */
export const EXPORTS: readonly Exports[] = [
  tenancy,
  catalogue,
  insurance,
  pipelines,
  webhooks,
  priorities,
  link,
  pulls,
  continuousQueries,
  users,
  connections,
  orders,
  results,
  labReports,
  hl7,
  files,
  summaries,
  timeseries,
].map((module: { EXPORTS: Exports }) => module.EXPORTS);

const USERS = 100;
/** After this many lines we renew the lease, and check again that the key is still valid. */
const RENEWED_AFTER = 500;
/** The limits for one round of reading: its lines and its time. */
const ROUND_LINES = 100;
const ROUND_MS = 5;

type Line = Static<typeof ExportLine>;

/** Which lines: all, those behind the user `after`, or only those of `user_id`. */
type Part = { after: string | null; user_id?: string | null };

/**
 * Exports all data of a team as lines. First come the data of the team itself, then the data of each user, beginning
 * with the row of the user. We read the next page when the client has read the previous one. No transaction is open
 * between pages. So if data change during the export, a page shows them as they were when we read that page. An export
 * without the line `end` is not complete.
 */
export async function* exportTeam(ctx: TeamCtx, id: string, part: Part): AsyncGenerator<Line> {
  let lines = 0;
  let users = 0;
  try {
    for await (const line of readInRounds(ctx, linesOf(ctx, part))) {
      if (ctx.stopping?.aborted) throw new StreamEnded('stopping');
      if (lines % RENEWED_AFTER === 0) {
        await ctx.stillOpens?.();
        await renewExport(ctx, id);
      }
      lines += 1;
      if (line.type === 'user') users += 1;
      yield line;
    }
    yield { type: 'end', user_id: null, data: { lines, users } };
  } finally {
    await endExport(ctx, id);
  }
}

/** Reads and decrypts lines as a batch, which pauses for interactive requests. The client decides how fast we read. */
async function* readInRounds({ batches, team }: TeamCtx, lines: AsyncIterator<Line>): AsyncIterable<Line> {
  for (let isMore = true; isMore;) {
    const some: Line[] = [];
    isMore = await batches.run(ownerOf(team), async () => {
      const until = performance.now() + ROUND_MS;
      while (some.length < ROUND_LINES && performance.now() < until) {
        const next = await lines.next();
        if (next.done) return false;
        some.push(next.value);
      }
      return true;
    });
    yield* some;
  }
}

async function* linesOf(ctx: TeamCtx, { after, user_id = null }: Part): AsyncGenerator<Line> {
  if (after === null && user_id === null) {
    for (const each of EXPORTS.flatMap(({ ofTeam = [] }) => ofTeam)) {
      const rows = 'lines' in each ? each.lines(ctx, null) : exportedRows(ctx, each, null);
      for await (const data of rows) yield { type: each.type, user_id: null, data };
    }
  }
  const ofUser = EXPORTS.flatMap((module) => module.ofUser ?? []);
  for await (const page of user_id === null ? pagesOfUsers(ctx, after) : [[await findExported(ctx, user_id)]]) {
    const ids = page.map(({ id }) => id);
    const owners = new Map<object, Set<string>>();
    for (const each of ofUser)
      owners.set(each, await whoHasRows(ctx, 'tables' in each ? each.tables[0] : each.table, ids));
    for (const row of page) {
      // Work that is still to be done on the row: whether the totals have subtracted the user's orders, and whether
      // hashes for the search are missing. It is not data of the team.
      const { orders_left_out: _, lacks_search_hashes: __, ...exported } = row;
      yield { type: 'user', user_id: row.id, data: await openRow(ctx, 'users', exported) };
      for (const each of ofUser.filter((kind) => owners.get(kind)?.has(row.id))) {
        const rows = 'lines' in each ? each.lines(ctx, row) : exportedRows(ctx, each, row);
        for await (const data of rows) yield { type: each.type, user_id: row.id, data };
      }
    }
  }
}

/**
 * Returns the ids of those users who have rows in the table. Most users have rows in few tables, so one statement for
 * each table and page is faster than one for each table and user.
 */
async function whoHasRows({ db, team }: TeamCtx, table: string | undefined, ids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::uuid[]) as asked (id)
     where exists (select from ${sql.table(table as string)} as owned
                    where owned.user_id = asked.id and owned.team_id = ${team.id})`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** A user who is scheduled for deletion has data until the deletion, so they are found too. */
async function findExported({ db, team }: TeamCtx, userId: string): Promise<{ id: string } & ExportedRow> {
  const ofTeam = db.selectFrom('users').selectAll().where('team_id', '=', team.id);
  const row = await ofTeam.where('id', '=', userId).executeTakeFirst();
  if (!row) throw notFound('User');
  return row;
}

/** Throws not_found before the response begins. */
export async function refuseUnknownUser(ctx: TeamCtx, userId: string): Promise<void> {
  await findExported(ctx, userId);
}

/**
 * Reads pages of users. They include users who are scheduled for deletion, because their data exist until the deletion.
 */
async function* pagesOfUsers(ctx: TeamCtx, after: string | null): AsyncIterable<({ id: string } & ExportedRow)[]> {
  for (let last = after ?? MIN_ID; ;) {
    const page = await ctx.db
      .selectFrom('users')
      .selectAll()
      .where('team_id', '=', ctx.team.id)
      .where('id', '>', last)
      .orderBy('id')
      .limit(USERS)
      .execute();
    yield page;
    if (page.length < USERS) return;
    last = page.at(-1)?.id as string;
  }
}
