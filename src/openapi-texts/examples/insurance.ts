import { address, person } from './invented.ts';

export const INSURANCE_BODIES: Readonly<Record<string, unknown>> = {
  create_insurance: {
    payor_code: 'SBX00001',
    member_id: 'XYZ123456789',
    relationship: 'Self',
    insured: { ...person, address },
    is_primary: true,
  },
  search_payors_by_post: { insurance_name: 'aetna' },
  validate_icd_codes: { codes: ['E11.9', 'I10'] },
  create_payor: { name: 'Saguaro Mutual', address },
};
