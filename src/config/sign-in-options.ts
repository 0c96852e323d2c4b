import { issuerAddress, orNull, text } from './option-kinds.ts';
import { Hidden } from './provider-options.ts';

export const SIGN_IN_OPTIONS = {
  PHIAL_OPENID_ISSUER: {
    default: '',
    read: orNull(issuerAddress),
    meaning:
      'Issuer of OpenID Connect at which members sign in, exactly as it names itself, as https://login.example.com; ' +
      'empty: none.',
  },
  PHIAL_OPENID_CLIENT_ID: {
    default: '',
    read: orNull(text),
    meaning: 'Client id of this service at that issuer.',
  },
  PHIAL_OPENID_CLIENT_SECRET: {
    secret: true as const,
    default: '',
    read: (value: string) => (value === '' ? null : new Hidden(value)),
    meaning: 'Client secret of this service at that issuer.',
  },
  PHIAL_OPENID_NAME: {
    default: 'your company account',
    read: text,
    meaning: 'Name of the accounts of that issuer, on the page for signing in.',
  },
};
