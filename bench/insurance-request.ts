// One insurance record, as a request sends it and as a row stores it.

const address = {
  first_line: '100 West Test Street',
  second_line: 'Unit 7',
  country: 'US',
  zip: '85004',
  city: 'Phoenix',
  state: 'AZ',
  access_notes: null,
};

const insured = {
  first_name: 'Grace',
  last_name: 'Palmer',
  gender: 'female',
  address,
  dob: '1988-04-12',
  email: 'grace@example.com',
  phone_number: '+16025550123',
};

export const insuranceRequest = {
  payor_code: 'SBX00001',
  member_id: 'XYZ123456789',
  group_id: 'G-100',
  relationship: 'Self',
  insured,
  is_primary: true,
};

/** The company, which the service adds from the payor directory. */
export const company = {
  name: 'Aetna',
  address: {
    first_line: 'PO Box 0101',
    second_line: '',
    country: 'US',
    zip: '06103',
    city: 'Hartford',
    state: 'CT',
    access_notes: null,
  },
};
