import type { CONNECTION_ERRORS } from './schemas.ts';
import { ownProperty } from '../../wire/own-property.ts';

export type ConnectionError = (typeof CONNECTION_ERRORS)[number];

/** Messages for people, which say what happened and what to do. */
const MESSAGES: Record<ConnectionError, string> = {
  token_refresh_failed: 'The provider no longer accepts the connection. The user has to connect it again.',
  webhook_registration_failed:
    'The provider did not agree to send notifications about this user. It is asked again when the user connects.',
  user_not_found: 'The provider does not know this user any more. The user has to connect it again.',
  deregistered_per_provider: 'The user has ended the connection at the provider.',
  required_scopes_not_granted: 'The user has refused the scopes that are needed. The user has to connect it again.',
  provider_credential_error: 'The provider refused the credentials of the user. The user has to connect it again.',
  provider_password_expired: 'The password at the provider has expired. The user has to renew it and connect again.',
  unknown: 'The connection failed for a reason that is not known.',
};

export const messageOf = (type: string): string => ownProperty(MESSAGES, type) ?? MESSAGES.unknown;
