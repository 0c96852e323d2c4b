// The credentials that simulated providers accept: one for each outcome that is possible at a real provider.
import type { LinkError } from '../link-outcome.ts';

type Answer = 'success' | 'pending_provider_mfa' | LinkError;

/** The outcome for each password. It does not depend on the user name. */
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

/** The code that a simulated provider asks for, and the address to which it pretends to send the code. */
export const MFA_CODE = '123456';
export const MFA_REQUEST = { method: 'sms' as const, hint: '+1 602 555 01••' };

const answerOf = (answers: Readonly<Record<string, Answer>>, given: string): Answer =>
  Object.hasOwn(answers, given) ? (answers[given] as Answer) : 'provider_credential_error';

/** Returns the outcome for a password. Refuses every unknown password, like a real provider. */
export const answerToPassword = (password: string): Answer => answerOf(PASSWORDS, password);
export const answerToEmail = (email: string): Answer => answerOf(EMAILS, email.trim().toLowerCase());

/** The values that a page of the sandbox suggests. */
export const DEMO_INPUTS = {
  password: [
    ['sandbox', 'connects'],
    ['sandbox-mfa', `asks for a code, which is ${MFA_CODE}`],
    ['sandbox-expired', 'has expired'],
    ['sandbox-unavailable', 'shows the provider as unavailable'],
    ['sandbox-region', 'belongs to a region that is not supported'],
    ['anything else', 'is refused'],
  ],
  email: [
    ['success@example.com', 'connects'],
    ['unavailable@example.com', 'shows the provider as unavailable'],
    ['region@example.com', 'belongs to a region that is not supported'],
    ['anything else', 'is refused'],
  ],
} as const;
