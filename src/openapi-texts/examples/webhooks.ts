export const WEBHOOK_BODIES: Readonly<Record<string, unknown>> = {
  patch_webhook: { description: 'Orders of the clinic' },
  test_webhook: { event_type: 'labtest.order.created' },
  put_webhook_headers: { headers: { 'x-tenant': 'phoenix' } },
  rotate_webhook_secret: { keep_old_hours: 48 },
  rotate_webhook_public_key: {},
  recover_webhook: { since: '2026-01-01T08:00:00Z', until: '2026-01-01T14:00:00Z' },
  replay_webhook: { since: '2026-01-01', event_types: ['labtest.order.*'], per_second: 50 },
  create_webhook: {
    url: 'https://hooks.example.com/phial',
    filter_types: ['labtest.order.created', 'labtest.order.updated'],
  },
};
