import type { Auth } from '../../operation/operation.ts';
import type { AuthKind } from './caller.ts';
import { linkToken } from './link-token.ts';
import { managementKey } from './management-key.ts';
import { none } from './none.ts';
import { session } from './session.ts';
import { orgSignature } from './org-signature.ts';
import { signature } from './signature.ts';
import { teamKey } from './team-key.ts';
import { teamKeyOrUserToken } from './user-token.ts';

/** Every way to authenticate callers, by the name that an operation declares in `auth`. */
export const AUTH_KINDS: Record<Auth, AuthKind> = {
  team_key: teamKey,
  team_key_or_user_token: teamKeyOrUserToken,
  link_token: linkToken,
  management_key: managementKey,
  session,
  signature,
  org_signature: orgSignature,
  none,
};
