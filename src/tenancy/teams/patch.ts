import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { changeBrand, newBrand } from './brand.ts';
import { refuseTaken } from './integration-team-id.ts';
import { settingsOf, TEAM_COLUMNS, type TeamRow } from './render.ts';
import type { TeamPatch } from './schemas.ts';

type Patch = Static<typeof TeamPatch>;
export type SettingsPatch = NonNullable<Patch['sandbox']>;

/**
 * Changes the properties that the request names. Null clears a property that can be empty, including
 * integration_team_id. For other properties null changes nothing. Throws not_found, and integration_team_id_conflict
 * with the id of the team that has the integration_team_id.
 */
export function patchTeam(
  ctx: ManagementCtx & TeamCtx,
  { name, integration_team_id }: Pick<Patch, 'name' | 'integration_team_id'>,
  settings: SettingsPatch | null,
): Promise<TeamRow> {
  return inTransaction(ctx, async (ctx) => {
    const { team } = ctx;
    if (integration_team_id) await refuseTaken(ctx, team.org_id, integration_team_id, team.id);
    const before = await ctx.db
      .selectFrom('teams')
      .select(TEAM_COLUMNS)
      .where('id', '=', team.id)
      .where('deleted_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!before) throw notFound('Team');
    const changes = JSON.stringify(settings === null ? {} : changesOf(settings, before));
    return ctx.db
      .updateTable('teams')
      .set({
        name: name ?? before.name,
        integration_team_id: integration_team_id === undefined ? before.integration_team_id : integration_team_id,
        settings: sql`settings || ${changes}::jsonb`,
      })
      .where('id', '=', team.id)
      .returning(TEAM_COLUMNS)
      .executeTakeFirstOrThrow();
  });
}

/** The settings that null clears. For all other settings null has no effect. */
const CLEARED_BY_NULL = new Set([
  'critical_result_notification_email',
  'logo_url',
  'partial_webhooks_enabled',
  'minor_ordering_enabled',
  'signed_links_end_with_key',
]);

function changesOf({ brand_information, ...others }: SettingsPatch, team: TeamRow): Record<string, unknown> {
  const retained = Object.entries(others).filter(([key, value]) => value !== null || CLEARED_BY_NULL.has(key));
  return {
    ...Object.fromEntries(retained),
    ...(brand_information === undefined
      ? {}
      : { brand_information: brand_information && changeBrand(brandOf(team), brand_information) }),
  };
}

/** Returns the brand of a team. If it has none, returns a new brand with the name of the team. */
const brandOf = ({ name, settings }: TeamRow) => settingsOf(settings).brand_information ?? newBrand(name);
