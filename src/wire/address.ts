import { Type } from 'typebox';
import { nullable, optional, Prose, Text } from './schema.ts';
import { PhoneNumber } from './person.ts';

/** The zip codes of the United States, with or without the four further digits. */
export const US_ZIP = '^\\d{5}(-\\d{4})?$';

/** Postal address of the insurance and user operations; state and zip are checked where the country is the US, by any of its names. */
export const Address = Type.Object(
  {
    first_line: Text(200),
    second_line: optional(Text(200, { minLength: 0, default: '' })),
    country: Text(100),
    zip: Text(20),
    city: Text(100),
    state: Text(100),
    access_notes: optional(Prose(1000, { minLength: 0 })),
  },
  { usAddress: true },
);

const domestic = {
  first_line: Text(200),
  second_line: optional(Text(200, { minLength: 0 })),
  city: Text(100),
  state: Type.String({ format: 'us-state' }),
  zip: Type.String({ maxLength: 10, pattern: US_ZIP }),
  /** Code or name in, full name out. */
  country: Type.String({ format: 'domestic-country' }),
};

/** Where a kit is sent to. */
export const ShippingAddressInput = Type.Object({ receiver_name: Text(100), ...domestic, phone_number: PhoneNumber });

/** Where the patient lives. */
export const PatientAddressInput = Type.Object({
  receiver_name: Type.Optional(Text(100, { minLength: 0 })),
  ...domestic,
  access_notes: optional(Prose(1000, { minLength: 0 })),
  phone_number: optional(PhoneNumber),
});

const answered = {
  first_line: Type.String(),
  second_line: nullable(Type.String()),
  city: Type.String(),
  state: Type.String(),
  zip: Type.String(),
  country: Type.String(),
};

export const ShippingAddress = Type.Object({ receiver_name: Type.String(), ...answered, phone_number: Type.String() });

export const PatientAddress = Type.Object({
  receiver_name: Type.String(),
  ...answered,
  access_notes: nullable(Type.String()),
  phone_number: nullable(Type.String()),
});
