// Invented people. Their phone numbers are reserved for fiction, and their domain is reserved for examples.

const home = { first_line: '100 West Test Street', second_line: 'Unit 7', city: 'Phoenix', state: 'AZ', zip: '85004' };

export const demographics = {
  first_name: 'Grace',
  last_name: 'Palmer',
  gender: 'female' as const,
  dob: '1988-04-12',
  email: 'grace@example.com',
  phone_number: '+16025550123',
  address: { ...home, country: 'US', access_notes: 'The green door.' },
};

/** A patient, in the form in which a kit is registered. */
export const patient = {
  first_name: 'Grace',
  last_name: 'Palmer',
  gender: 'female' as const,
  dob: '1988-04-12',
  email: 'grace@example.com',
  phone_number: '+16025550123',
};

export const patientAddress = { receiver_name: 'Grace Palmer', ...home, country: 'US' };

export const shippingDetails = { ...patientAddress, phone_number: '+16025550123' };

export const consents = (['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'] as const).map(
  (consentType) => ({ consentType }),
);

/** A physician. The NPI is the example of its specification. Its check digit is correct, and nobody has this NPI. */
export const physician = { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' };
