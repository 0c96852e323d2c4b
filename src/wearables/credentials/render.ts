import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { shownDetails, type Details } from './details.ts';
import type { Credentials } from './schemas.ts';

type ShownCredentials = Static<typeof Credentials>;

export const CREDENTIAL_COLUMNS = [
  'id',
  'team_id',
  'provider',
  'client_id',
  'client_secret_hash',
  'details',
  'redirect_url_override',
  'created_at',
  'updated_at',
] as const;

export type CredentialRow = {
  id: string;
  team_id: string;
  provider: string;
  client_id: string | null;
  client_secret_hash: Buffer | null;
  details: Buffer | null;
  redirect_url_override: string | null;
  created_at: string;
  updated_at: string;
};

/**
 * Renders credentials for a response. The response contains no secret. It shows that a secret exists, and for the
 * application's secret its hash.
 */
export function renderCredentials(ctx: Pick<ManagementCtx, 'cipher'>, row: CredentialRow): ShownCredentials {
  const { id, team_id, provider, client_id, client_secret_hash, redirect_url_override, created_at, updated_at } = row;
  const details = openDetails(ctx, row);
  return {
    id,
    team_id,
    source: provider as ShownCredentials['source'],
    client_id,
    client_secret_hash: client_secret_hash?.toString('hex') ?? null,
    details: details && shownDetails(provider, details),
    app_url: null,
    redirect_url_override,
    created_at,
    updated_at,
  };
}

export const openDetails = (
  { cipher }: Pick<ManagementCtx, 'cipher'>,
  { team_id, id, details }: Pick<CredentialRow, 'team_id' | 'id' | 'details'>,
): Details | null => details && cipher.openJson<Details>('team_credentials.details', { team_id, id }, details);
