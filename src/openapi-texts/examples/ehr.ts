export const EHR_BODIES: Readonly<Record<string, unknown>> = {
  create_dashboard_url: {
    integration_member_id: 'ehr-user-7',
    feature: 'orders',
    modality: 'link_out',
    environment: 'sandbox',
  },
  create_ehr_member: { integration_member_id: 'ehr-user-7', name: 'Grace Hopper', email: 'grace@example.com' },
  patch_ehr_member: { name: 'Grace B. Hopper' },
  resolve_ehr_member: { integration_member_id: 'ehr-user-7' },
  put_ehr_configuration: {
    slug: 'desert-ehr',
    modalities: ['feature_embed', 'link_out'],
    origin_configs: [{ origin: 'https://ehr.example.com' }],
  },
};
