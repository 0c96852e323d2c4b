import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { refuseTaken } from './integration-team-id.ts';
import { settingsOf, TEAM_COLUMNS, type TeamRow } from './render.ts';
import type { TeamPatch } from './schemas.ts';

type Patch = Static<typeof TeamPatch>;
export type SettingsPatch = NonNullable<Patch['sandbox']>;
type Brand = NonNullable<ReturnType<typeof settingsOf>['brand_information']>;

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
]);

function changesOf({ brand_information, ...others }: SettingsPatch, team: TeamRow): Record<string, unknown> {
  const kept = Object.entries(others).filter(([key, value]) => value !== null || CLEARED_BY_NULL.has(key));
  return {
    ...Object.fromEntries(kept),
    ...(brand_information === undefined
      ? {}
      : { brand_information: brand_information && mergeBrand(brand_information, team) }),
  };
}

/** A brand key by key: one that is there first stands under the team's name where it brings none. */
function mergeBrand(patch: NonNullable<SettingsPatch['brand_information']>, team: TeamRow): Brand {
  const brand = settingsOf(team.settings).brand_information ?? { ...NO_BRAND, company_name: team.name };
  const changed = Object.entries(patch).flatMap(([key, value]): [string, string | null][] => {
    if (value !== null) return [[key, value]];
    return key === 'company_name' ? [] : [[key, NO_BRAND[key as keyof typeof NO_BRAND]]];
  });
  return { ...brand, ...Object.fromEntries(changed) };
}

const NO_BRAND = {
  company_website: '',
  support_email: null,
  support_contact: '',
  company_address: '',
  brand_color: '',
};
