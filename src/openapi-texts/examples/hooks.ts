export const HOOK_BODIES: Readonly<Record<string, unknown>> = {
  receive_hook: {
    event_type: 'update',
    data_type: 'workout',
    object_id: '4a1b9c2d',
    event_time: '2026-01-05T12:00:00Z',
    user_id: '8d3f',
  },
  receive_carrier_news: {
    description: 'tracker.updated',
    result: {
      object: 'Tracker',
      tracking_code: '9400111899223197428490',
      carrier: 'USPS',
      status: 'in_transit',
      status_detail: 'departed_facility',
      updated_at: '2026-01-05T12:00:00Z',
    },
  },
  receive_scheduler_news: {
    appointment_id: '0199aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa',
    status: 'confirmed',
    occurred_at: '2026-01-05T12:00:00Z',
    start: '2026-01-07T16:00:00Z',
    end: '2026-01-07T17:00:00Z',
    external_id: 'V-1042',
  },
  receive_hook_with_token: {
    object_type: 'activity',
    object_id: 1_360_128_428,
    aspect_type: 'create',
    owner_id: 134_815,
    subscription_id: 120_475,
    event_time: 1_767_614_400,
  },
};
