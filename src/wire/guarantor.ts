import { Type } from 'typebox';
import { Address } from './address.ts';
import { Email, PersonName, PhoneNumber } from './person.ts';
import { optional } from './schema.ts';

/** Who answers for a bill, or for a minor (`medical_proxy`). */
export const GuarantorDetails = Type.Object({
  first_name: PersonName,
  last_name: PersonName,
  address: Address,
  phone_number: PhoneNumber,
  household_income: optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  household_size: optional(Type.Integer({ minimum: 0, maximum: 100 })),
  email: optional(Email),
});
