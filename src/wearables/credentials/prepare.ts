import type { Static } from 'typebox';
import type { ManagementCtx, TeamCtx } from '../../context.ts';
import { connectorOrNull } from '../providers/registry.ts';
import { PROVIDERS } from '../providers/provider-catalogue.ts';
import { callbackUrl } from '../link/oauth/start-oauth.ts';
import type { Preparation } from './schemas.ts';

/**
 * Returns what somebody has to enter at a provider, so that a team's own application works with this deployment: the
 * address to which the provider sends users back.
 */
export function prepareCredentials({ config }: ManagementCtx & TeamCtx, provider: string): Static<typeof Preparation> {
  const connector = connectorOrNull(provider);
  if (!connector) return { status: 'no_action_needed', preparation_steps: [] };
  const { name } = PROVIDERS[connector.slug];
  const step = {
    type: 'redirect_uri',
    key: null,
    value: callbackUrl(config, connector.slug),
    description:
      `Allow the application at ${name} to send users back to this address, or to a ` +
      'redirect_url_override that sends them on to it.',
  } as const;
  return { status: 'preparations_required', preparation_steps: [step] };
}
