// What the providers that a sandbox plays take: made-up credentials, each for what can become of a real one.
import type { LinkError } from '../outcome.ts';

type Answer = 'success' | 'pending_provider_mfa' | LinkError;

/** By the password, whatever the name of the user. */
const PASSWORDS: Readonly<Record<string, Answer>> = {
  sandbox: 'success',
  'sandbox-mfa': 'pending_provider_mfa',
  'sandbox-expired': 'provider_password_expired',
  'sandbox-unavailable': 'provider_api_error',
  'sandbox-region': 'unsupported_region',
};

const EMAILS: Readonly<Record<string, Answer>> = {
  'success@example.com': 'success',
  'unavailable@example.com': 'provider_api_error',
  'region@example.com': 'unsupported_region',
};

/** The code that a made-up provider has sent, and where it says that it has. */
export const MFA_CODE = '123456';
export const MFA_REQUEST = { method: 'sms' as const, hint: '+1 602 555 01••' };

const answerOf = (answers: Readonly<Record<string, Answer>>, given: string): Answer =>
  Object.hasOwn(answers, given) ? (answers[given] as Answer) : 'provider_credential_error';

/** Any other is refused, as by a provider that does not know it. */
export const answerToPassword = (password: string): Answer => answerOf(PASSWORDS, password);
export const answerToEmail = (email: string): Answer => answerOf(EMAILS, email.trim().toLowerCase());

/** What a page of the sandbox tells its reader to try. */
export const HINTS = {
  password: [
    ['sandbox', 'connects'],
    ['sandbox-mfa', `asks for a code, which is ${MFA_CODE}`],
    ['sandbox-expired', 'has expired'],
    ['sandbox-unavailable', 'finds the provider away'],
    ['sandbox-region', 'is of a region that is not served'],
    ['anything else', 'is refused'],
  ],
  email: [
    ['success@example.com', 'connects'],
    ['unavailable@example.com', 'finds the provider away'],
    ['region@example.com', 'is of a region that is not served'],
    ['anything else', 'is refused'],
  ],
} as const;
