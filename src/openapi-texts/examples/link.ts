import { USER } from './invented.ts';

export const LINK_BODIES: Readonly<Record<string, unknown>> = {
  answer_demo_page: { username: 'ada', password: 'password' },
  bulk_import_connections: {
    provider: 'oura',
    connections: [
      {
        user_id: USER,
        access_token: 'access-token-of-the-user',
        refresh_token: 'refresh-token-of-the-user',
        provider_id: '4711',
        expires_at: 1_798_761_600,
        oauth_scopes: ['personal', 'daily'],
      },
    ],
    wait_for_completion: true,
  },
  create_link_token: { user_id: USER, filter_on_providers: ['oura', 'strava'] },
  connect_by_password: { username: 'ada', password: 'correct horse battery staple' },
  complete_password_mfa: { mfa_code: '123456' },
  connect_by_email: { email: 'ada@example.com', region: 'us' },
  bulk_export_connections: { provider: 'oura', user_ids: [USER] },
  bulk_trigger_historical_pull: { provider: 'oura', user_ids: [USER] },
  bulk_pause_connections: { provider: 'oura', user_ids: [USER] },
};
