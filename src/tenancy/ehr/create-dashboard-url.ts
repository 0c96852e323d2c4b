import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { resolveTeam } from '../teams/integration-team-id.ts';
import { findManagedTeam } from '../teams/find.ts';
import { findConfigurationOrNull } from './configuration.ts';
import { findEhrMember } from './members/find.ts';
import { FEATURES, type DashboardUrl, type DashboardUrlInput } from './schemas.ts';

type Input = Static<typeof DashboardUrlInput>;

/**
 * Checks everything that a link to the dashboard needs, so that customers can build and test an integration. Then it
 * throws dashboard_not_available, because people of an EHR cannot sign in yet. It also throws not_found,
 * unknown_feature, modality_not_enabled and team_not_bound.
 */
export async function createDashboardUrl(ctx: ManagementCtx, input: Input): Promise<Static<typeof DashboardUrl>> {
  const { feature, modality } = input;
  const member = await findEhrMember(
    ctx,
    input.member_id ? { id: input.member_id } : { integration_member_id: input.integration_member_id ?? '' },
  );
  const team_id = await teamOf(ctx, input);
  if (!(FEATURES as readonly string[]).includes(feature)) {
    throw new AppError('unknown_feature', `This feature does not exist. The features are ${FEATURES.join(', ')}.`);
  }
  const configuration = await findConfigurationOrNull(ctx);
  if (!configuration?.modalities.includes(modality)) {
    const why = configuration
      ? 'The configuration of the integration does not list this modality.'
      : 'The integration has no configuration yet. Create one with PUT ' +
        '/v1/org/{org_id}/ehr_integration/configuration and list the modalities in it.';
    throw new AppError('modality_not_enabled', why);
  }
  if (team_id !== null && !member.team_ids?.includes(team_id)) {
    throw new AppError('team_not_bound', 'The team_role_bindings of this member do not contain that team.');
  }
  throw new AppError(
    'dashboard_not_available',
    'People of an EHR cannot sign in to the dashboard yet. The request is complete: a later release will accept it.',
  );
}

async function teamOf(ctx: ManagementCtx, { team_id, integration_team_id }: Input): Promise<string | null> {
  if (team_id) return (await findManagedTeam(ctx, team_id)).id;
  return integration_team_id ? (await resolveTeam(ctx, integration_team_id)).id : null;
}
