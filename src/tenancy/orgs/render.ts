import type { Static } from 'typebox';
import type { Org } from './schemas.ts';

/** An organisation as the management API shows it. */
export const toOrg = (org: { id: string; name: string }): Static<typeof Org> => ({ ...org, expires_at: null });
