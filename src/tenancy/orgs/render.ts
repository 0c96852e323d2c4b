import type { Static } from 'typebox';
import type { Org } from './schemas.ts';

/** Renders an organisation for the management API. */
export const toOrg = (org: { id: string; name: string }): Static<typeof Org> => ({ ...org, expires_at: null });
