import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';

/**
 * The most connections of one team that one notification reaches. A team can state the same account for any number of
 * its users. Without the limit, a notification about that account would make work for all of them and delay other
 * teams.
 */
const MAX_OF_AN_ACCOUNT = 5;

/**
 * Finds the connections to these accounts in all teams, by the hash of the account. Returns at most five connections of
 * a team for an account: those of its oldest users. The statement goes from team to team in the index, so a team with
 * very many connections does not slow it down.
 */
export async function connectionsOf(
  { db }: TxCtx<Ctx>,
  provider: string,
  accounts: string[],
): Promise<{ team_id: string; user_id: string; account: string }[]> {
  const nextTeam = (account: string, after = '') => sql`
    (select team_id from connections
      where provider = ${provider} and external_user_hash = ${sql.ref(account)}
        ${after === '' ? sql`` : sql`and team_id > ${sql.ref(after)}`}
      order by team_id limit 1)`;
  const { rows } = await sql<{ team_id: string; user_id: string; account: string }>`
    with recursive accounts as (select decode(hash, 'hex') as account from unnest(${accounts}::text[]) as hash),
    teams_of as (
      select account, ${nextTeam('accounts.account')} as team_id from accounts
      union all
      select account, ${nextTeam('teams_of.account', 'teams_of.team_id')} from teams_of where team_id is not null
    )
    select found.team_id, found.user_id, encode(account, 'hex') as account from teams_of cross join lateral (
      select connections.team_id, user_id from connections join users on users.id = user_id
       where provider = ${provider} and external_user_hash = account and connections.team_id = teams_of.team_id
         and status = 'connected' and deleted_at is null
       order by user_id limit ${MAX_OF_AN_ACCOUNT}) as found`.execute(db);
  return rows;
}
