import { sql } from 'kysely';

/**
 * Whether the key in `made_by` opens the team in `teams` still, in a statement that has both; nothing that was made by no key ends
 * with one. Keys are looked up by their id.
 */
export const makerOpens = sql<boolean>`
  not exists (
    select from team_api_keys as makers
     where makers.id = made_by and (revoked_at is not null or makers.expires_at <= now()))
  and not exists (
    select from management_keys as makers
     where makers.id = made_by and (revoked_at is not null or not teams.id = any (team_ids)))`;
