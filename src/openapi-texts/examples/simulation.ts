export const SIMULATION_BODIES: Readonly<Record<string, unknown>> = {
  receive_at_demo_endpoint: {
    event_type: 'labtest.order.updated',
    data: { id: '0199aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa' },
    team_id: '0199bbbb-bbbb-7bbb-8bbb-bbbbbbbbbbbb',
    user_id: '0199cccc-cccc-7ccc-8ccc-cccccccccccc',
    client_user_id: 'demo-clinic-01',
  },
  simulate_order: { interpretation: 'abnormal', has_missing_results: false },
};
