// https://www.polar.com/accesslink-api/#authentication and #users
import { newId } from '../../../ids.ts';
import { textOf, type Connector } from '../connector.ts';

/** There is one scope for everything. */
const ALL = { required: ['accesslink.read_all'] };

export const connector: Connector = {
  slug: 'polar',
  oauth: {
    authorize_url: 'https://flow.polar.com/oauth2/authorization',
    token_url: 'https://polarremote.com/v2/oauth2/token',
    revoke: { url: 'https://www.polaraccesslink.com/v3/users/{user}', token_in: 'header', token: 'access' },
    client_auth: 'basic',
    scopes: ['accesslink.read_all'],
    scope_separator: ' ',
    pkce: false,
    // Tokens end when they are taken away; there is nothing to renew them by.
    unwrap: ({ expires_in: _, ...answer }) => answer,
    externalUserId: ({ x_user_id }) => textOf(x_user_id),
    identity: null,
    // Before there is nothing. Its own id for the member may be any that was not used: an account that comes back gets 409.
    register: { url: 'https://www.polaraccesslink.com/v3/users', body: () => ({ 'member-id': newId() }) },
  },
  scopes: {
    profile: ALL,
    body: ALL,
    activity: ALL,
    sleep: ALL,
    sleep_cycle: ALL,
    workouts: ALL,
    workout_stream: ALL,
    heartrate: ALL,
    hrv: ALL,
    respiratory_rate: ALL,
  },
};
