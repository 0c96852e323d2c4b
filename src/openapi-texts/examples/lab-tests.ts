export const LAB_TEST_BODIES: Readonly<Record<string, unknown>> = {
  list_order_set_markers: { add_on: { marker_ids: [1101, 1015] } },
  search_compendium: { mode: 'crosswalk', query: 'TSH' },
  convert_compendium: { provider_ids: ['KIT-4548'], target_lab: 'simulated-reference-lab' },
  create_lab_test: {
    name: 'Heart and thyroid',
    description: 'Lipids and TSH.',
    method: 'testkit',
    marker_ids: [1101, 1015],
  },
  patch_lab_test: { name: 'Heart check', active: false },
};
