import { sql } from 'kysely';

/**
 * An SQL condition for credentials that end with the key that made them, such as user tokens. The statement needs a
 * column `made_by` and the table `teams`. The condition is true if the key in `made_by` is still valid and still has
 * access to the team. It is also true if no key made the row.
 */
export const makerKeyOpens = sql<boolean>`
  not exists (
    select from team_api_keys as makers
     where makers.id = made_by and (revoked_at is not null or makers.expires_at <= now()))
  and not exists (
    select from management_keys as makers
     where makers.id = made_by and (revoked_at is not null or not teams.id = any (team_ids)))`;
