import { Type } from 'typebox';
import { nullable, optional, Prose, Text } from './schema.ts';
import { PhoneNumber } from './person.ts';
import { shape } from './shape.ts';

/** Zip codes of the United States, with or without the four additional digits. */
export const US_ZIP = '^\\d{5}(-\\d{4})?$';

/**
 * The postal address in insurance and user operations. We check the state and the zip code if the country is the United
 * States, by any of its names.
 */
export const Address = shape(
  'Address',
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
  /** Accepts a code or a name. The response has the full name. */
  country: Type.String({ format: 'domestic-country' }),
};

/** The address to which a kit is sent. */
export const ShippingAddressInput = shape('ShippingAddressInput', {
  receiver_name: Text(100),
  ...domestic,
  phone_number: PhoneNumber,
});

export const PatientAddressInput = shape('PatientAddressInput', {
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

export const ShippingAddress = shape('ShippingAddress', {
  receiver_name: Type.String(),
  ...answered,
  phone_number: Type.String(),
});

export const PatientAddress = shape('PatientAddress', {
  receiver_name: Type.String(),
  ...answered,
  access_notes: nullable(Type.String()),
  phone_number: nullable(Type.String()),
});
