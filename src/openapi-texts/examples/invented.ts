// The invented person of the examples, and ids.

export const address = { first_line: '1 Saguaro Way', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' };
export const person = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  dob: '1980-12-10',
  gender: 'female',
  email: 'ada@example.com',
  phone_number: '+16025550123',
};

/** Ids for paths and bodies. No record has any of these ids, so a copied example changes nothing. */
export const USER = '01940000-0000-7000-8000-000000000001';
export const ORG = '01940000-0000-7000-8000-000000000002';
export const TEAM = '01940000-0000-7000-8000-000000000003';
export const SOMETHING = '01940000-0000-7000-8000-000000000004';
