import { Type } from 'typebox';
import { Address } from './address.ts';
import { Email, PersonName, PhoneNumber } from './person.ts';
import { optional } from './schema.ts';
import { shape } from './shape.ts';

/** The person who pays a bill, or acts for a minor (`medical_proxy`). */
export const GuarantorDetails = shape('GuarantorDetails', {
  first_name: PersonName,
  last_name: PersonName,
  address: Address,
  phone_number: PhoneNumber,
  household_income: optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  household_size: optional(Type.Integer({ minimum: 0, maximum: 100 })),
  email: optional(Email),
});
