// The credentials that simulated providers accept: one for each outcome that a real provider can have.
import type { LinkError } from '../link-outcome.ts';

type SignInOutcome = 'success' | 'pending_provider_mfa' | LinkError;

/** The outcome of each password, for any user name. */
const PASSWORDS: Readonly<Record<string, SignInOutcome>> = {
  sandbox: 'success',
  'sandbox-mfa': 'pending_provider_mfa',
  'sandbox-expired': 'provider_password_expired',
  'sandbox-unavailable': 'provider_api_error',
  'sandbox-region': 'unsupported_region',
};

const EMAILS: Readonly<Record<string, SignInOutcome>> = {
  'success@example.com': 'success',
  'unavailable@example.com': 'provider_api_error',
  'region@example.com': 'unsupported_region',
};

/** The code that a simulated provider asks for, and the telephone number to which it pretends to send the code. */
export const MFA_CODE = '123456';
export const MFA_REQUEST = { method: 'sms' as const, hint: '+1 602 555 01••' };

const responseOf = (answers: Readonly<Record<string, SignInOutcome>>, given: string): SignInOutcome =>
  Object.hasOwn(answers, given) ? (answers[given] as SignInOutcome) : 'provider_credential_error';

/** Returns the outcome of a password. An unknown password is refused, as at a real provider. */
export const answerToPassword = (password: string): SignInOutcome => responseOf(PASSWORDS, password);
export const answerToEmail = (email: string): SignInOutcome => responseOf(EMAILS, email.trim().toLowerCase());

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
