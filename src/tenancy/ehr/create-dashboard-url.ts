import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { signedUrl } from '../../privacy/signed-link.ts';
import { resolveTeam } from '../teams/integration-team-id.ts';
import { findManagedTeam } from '../teams/find.ts';
import { findConfigurationOrNull } from './configuration.ts';
import { findEhrMember } from './members/find.ts';
import { FEATURES, type DashboardUrl, type DashboardUrlInput } from './schemas.ts';

const KIND = 'dashboard';
/** A browser follows it at once. */
const GOOD_FOR_SECONDS = 300;

type Input = Static<typeof DashboardUrlInput>;

/**
 * A link by which the browser of a person of the EHR is let in, to one team of theirs or none in particular. Throws not_found,
 * unknown_feature, modality_not_enabled and team_not_bound.
 */
export function createDashboardUrl(ctx: ManagementCtx, input: Input): Promise<Static<typeof DashboardUrl>> {
  return inTransaction(ctx, async (ctx) => {
    const { feature, modality } = input;
    const member = await findEhrMember(
      ctx,
      input.member_id ? { id: input.member_id } : { integration_member_id: input.integration_member_id ?? '' },
    );
    const team_id = await teamOf(ctx, input);
    if (!(FEATURES as readonly string[]).includes(feature)) {
      throw new AppError('unknown_feature', `There is no such feature. There are ${FEATURES.join(', ')}.`);
    }
    const configuration = await findConfigurationOrNull(ctx);
    if (!configuration?.modalities.includes(modality)) {
      const why = configuration
        ? 'The configuration of the integration does not list this modality.'
        : 'The integration has no configuration yet: PUT /v1/org/{org_id}/ehr_integration/configuration makes one, which lists the modalities.';
      throw new AppError('modality_not_enabled', why);
    }
    if (team_id !== null && !member.team_ids?.includes(team_id)) {
      throw new AppError('team_not_bound', 'The team_role_bindings of this member do not name that team.');
    }
    const id = newId();
    const expires = Math.floor(Date.now() / 1000) + GOOD_FOR_SECONDS;
    await ctx.db
      .deleteFrom('ehr_sessions')
      .where('org_id', '=', ctx.org.id)
      .where('expires_at', '<', sql<string>`now()`)
      .execute();
    await ctx.db
      .insertInto('ehr_sessions')
      .values({
        id,
        org_id: ctx.org.id,
        member_id: member.id,
        team_id,
        feature,
        modality,
        expires_at: sql`to_timestamp(${expires}::float8)`,
      })
      .execute();
    return { url: signedUrl(ctx, KIND, { team_id: ctx.org.id, id, expires }), expires_in: GOOD_FOR_SECONDS };
  });
}

async function teamOf(ctx: TxCtx<ManagementCtx>, { team_id, integration_team_id }: Input): Promise<string | null> {
  if (team_id) return (await findManagedTeam(ctx, team_id)).id;
  return integration_team_id ? (await resolveTeam(ctx, integration_team_id)).id : null;
}
