import type { Static } from 'typebox';
import type { TeamApiKey } from './schemas.ts';

export type TeamKey = Static<typeof TeamApiKey>;

export const TEAM_KEY_COLUMNS = [
  'team_api_keys.id',
  'label',
  'team_id',
  'team_api_keys.created_at',
  'scopes',
  'expires_at',
  'last_used_at',
] as const;

type Row = Omit<TeamKey, 'value' | 'scopes'> & { scopes: string[] | null };

/** Renders a team API key for the management API, either with its complete value or with the first characters. */
export const toTeamKey = ({ scopes, ...row }: Row, value: string): TeamKey => ({
  ...row,
  scopes: scopes as TeamKey['scopes'],
  value,
});
