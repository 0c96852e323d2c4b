import { Type } from 'typebox';
import { PatientAddressInput } from '../../../wire/address.ts';
import { GuarantorDetails } from '../../../wire/guarantor.ts';
import {
  BirthDate,
  Email,
  Ethnicity,
  Gender,
  GenderIdentity,
  PersonName,
  PhoneNumber,
  Race,
  SexualOrientation,
} from '../../../wire/person.ts';
import { nullable, Prose, Text } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

const { receiver_name, first_line, city, state, zip, country } = PatientAddressInput.properties;

/** The fields to change. A field that is missing does not change, and null clears a field. */
export const PatientCorrection = shape('PatientCorrection', {
  patient_details: Type.Optional(
    shape('CorrectedPatientDetails', {
      first_name: Type.Optional(PersonName),
      last_name: Type.Optional(PersonName),
      dob: Type.Optional(BirthDate),
      gender: Type.Optional(Gender),
      phone_number: Type.Optional(PhoneNumber),
      email: Type.Optional(Email),
      medical_proxy: Type.Optional(nullable(GuarantorDetails)),
      race: Type.Optional(nullable(Race)),
      ethnicity: Type.Optional(nullable(Ethnicity)),
      sexual_orientation: Type.Optional(nullable(SexualOrientation)),
      gender_identity: Type.Optional(nullable(GenderIdentity)),
    }),
  ),
  patient_address: Type.Optional(
    shape('CorrectedPatientAddress', {
      receiver_name,
      first_line: Type.Optional(first_line),
      second_line: Type.Optional(nullable(Text(200, { minLength: 0 }))),
      city: Type.Optional(city),
      state: Type.Optional(state),
      zip: Type.Optional(zip),
      country: Type.Optional(country),
      access_notes: Type.Optional(nullable(Prose(1000, { minLength: 0 }))),
      phone_number: Type.Optional(nullable(PhoneNumber)),
    }),
  ),
});
