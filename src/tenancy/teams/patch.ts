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
 * Changes the keys that are there. A null clears what a team can be without, its reference included, and leaves what it
 * always has. Throws not_found, and integration_team_id_conflict with the team that has the reference.
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

/** What a team can be without; of the others there is no null to store. */
const CLEARED_BY_NULL = new Set([
  'critical_result_notification_email',
  'logo_url',
  'partial_webhooks_enabled',
  'minor_ordering_enabled',
  'signed_links_end_with_key',
]);

function changesOf({ brand_information, ...others }: SettingsPatch, team: TeamRow): Record<string, unknown> {
  const kept = Object.entries(others).filter(([key, value]) => value !== null || CLEARED_BY_NULL.has(key));
  return {
    ...Object.fromEntries(kept),
    ...(brand_information === undefined
      ? {}
      : { brand_information: brand_information && changeBrand(brandOf(team), brand_information) }),
  };
}

/** One that is there first stands under the team's name where it brings none. */
const brandOf = ({ name, settings }: TeamRow) => settingsOf(settings).brand_information ?? newBrand(name);
