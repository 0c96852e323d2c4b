// https://www.polar.com/accesslink-api/#authentication and #users
import { newId } from '../../../ids.ts';
import { textOf, type Connector } from '../connector.ts';

/** Polar has only one scope. It covers all data. */
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
    // Polar's tokens have no refresh token and are valid until they are revoked. So we ignore `expires_in`.
    unwrap: ({ expires_in: _, ...response }) => response,
    externalUserId: ({ x_user_id }) => textOf(x_user_id),
    identity: null,
    // Polar returns no data before this request. `member-id` may be any unused id. Polar responds with 409 if the
    // account is registered already.
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
