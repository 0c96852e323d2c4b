import type { Auth } from '../endpoint.ts';
import type { AuthKind } from './caller.ts';
import { linkToken } from './link-token.ts';
import { managementKey } from './management-key.ts';
import { none } from './none.ts';
import { orgSignature } from './org-signature.ts';
import { signature } from './signature.ts';
import { teamKey } from './team-key.ts';
import { teamKeyOrUserToken } from './user-token.ts';

/** Every way of telling who calls, by the name that endpoints choose it by. */
export const AUTH_KINDS: Record<Auth, AuthKind> = {
  team_key: teamKey,
  team_key_or_user_token: teamKeyOrUserToken,
  link_token: linkToken,
  management_key: managementKey,
  signature,
  org_signature: orgSignature,
  none,
};
