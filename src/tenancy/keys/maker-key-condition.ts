import { sql, type RawBuilder } from 'kysely';

/**
 * An SQL condition for credentials that end with whoever made them, such as user tokens. The statement needs the table
 * `teams`. The condition is true if `maker` is null, or the id of somebody who still has access to the team: a key, a
 * member of the organisation, a person of an EHR, or a session of the operator.
 */
export const makerOpens = (maker: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  ${maker} is null
  or exists (
    select from team_api_keys as makers
     where makers.id = ${maker} and revoked_at is null and (makers.expires_at is null or makers.expires_at > now()))
  or exists (
    select from management_keys as makers
     where makers.id = ${maker} and revoked_at is null
       and (makers.team_ids is null or teams.id = any (makers.team_ids)))
  or exists (
    select from org_members as makers
     where makers.id = ${maker}
       and (makers.role = 'org_admin' or (makers.role = 'team_admin' and teams.id = any (makers.team_ids))))
  or exists (select from ehr_members as makers where makers.id = ${maker} and teams.id = any (makers.team_ids))
  or exists (select from sessions as makers where makers.id = ${maker} and makers.expires_at > now()))`;

/** The same for a row with the column `made_by`. */
export const makerKeyOpens = makerOpens(sql.ref('made_by'));
