import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { createSignInLink } from '../sessions/create-sign-in-link.ts';
import type { LandingPage } from '../sessions/person.ts';
import { resolveTeam } from '../teams/integration-team-id.ts';
import { findManagedTeam } from '../teams/find.ts';
import { findConfigurationOrNull } from './configuration.ts';
import { findEhrMember } from './members/find.ts';
import { FEATURES, type DashboardUrl, type DashboardUrlInput } from './schemas.ts';

type Input = Static<typeof DashboardUrlInput>;

/** How long a link works. An EHR asks for it when its person clicks. */
const LINK_SECONDS = 300;

/** The page of the dashboard for each feature. */
const PAGES: Record<(typeof FEATURES)[number], LandingPage> = {
  home: '/dashboard',
  users: '/dashboard/users',
  orders: '/dashboard/orders',
  results: '/dashboard/critical-results',
};

/**
 * Creates a link that signs a person of the EHR in once, and leads to a part of the dashboard. If it names a team, the
 * session sees this team only. Throws not_found, unknown_feature, modality_not_enabled, team_not_bound and
 * modality_not_available.
 */
export async function createDashboardUrl(ctx: ManagementCtx, input: Input): Promise<Static<typeof DashboardUrl>> {
  const { feature, modality } = input;
  const member = await findEhrMember(
    ctx,
    input.member_id ? { id: input.member_id } : { integration_member_id: input.integration_member_id ?? '' },
  );
  const team_id = await teamOf(ctx, input);
  // The request may name both by ids of the EHR, which the audit log does not show.
  ctx.line?.names(member.id, ...(team_id === null ? [] : [team_id]));
  if (!isFeature(feature)) {
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
  if (modality === 'feature_embed') {
    throw new AppError(
      'modality_not_available',
      'Pages of the dashboard do not open inside a page of an EHR. Ask for a link with the modality link_out.',
    );
  }
  const person = { org_id: ctx.org.id, member_id: null, ehr_member_id: member.id, only_team_id: team_id };
  const { url } = await createSignInLink(ctx, person, LINK_SECONDS, PAGES[feature]);
  return { url, expires_in: LINK_SECONDS };
}

const isFeature = (feature: string): feature is keyof typeof PAGES => (FEATURES as readonly string[]).includes(feature);

async function teamOf(ctx: ManagementCtx, { team_id, integration_team_id }: Input): Promise<string | null> {
  if (team_id) return (await findManagedTeam(ctx, team_id)).id;
  return integration_team_id ? (await resolveTeam(ctx, integration_team_id)).id : null;
}
