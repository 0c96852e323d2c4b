import { Type } from 'typebox';
import { Address } from '../wire/address.ts';
import { GuarantorDetails } from '../wire/guarantor.ts';
import { ImageInput } from '../wire/image/image-input.ts';
import { BirthDate, Email, Gender, PersonName, PhoneNumber } from '../wire/person.ts';
import { IcdCode } from './diagnoses/schemas.ts';
import { nullable, oneOf, optional, SearchWords, Prose, Text, withDefault, WordFilter } from '../wire/schema.ts';
import { shape } from '../wire/shape.ts';

const RELATIONSHIPS = ['Self', 'Spouse', 'Other'] as const;

const insured = {
  first_name: PersonName,
  last_name: PersonName,
  gender: Gender,
  address: Address,
  dob: BirthDate,
  email: Email,
  phone_number: PhoneNumber,
};

/** The insured person. If the relationship is Self, this is the patient. */
const InsuredInput = shape('InsuredInput', insured);
/** An insured person in the stored form. `gender` may have a value that this release does not know. */
const Insured = shape('Insured', { ...insured, gender: Type.String() });

const Company = shape('Company', { name: Type.String(), address: Address });

/**
 * Insurance that a request for an order contains. We store it and its documents as an insurance record of the patient.
 */
export const HealthInsuranceInput = shape(
  'HealthInsuranceInput',
  {
    payor_code: Text(100),
    insurance_id: Text(100, { description: 'The member id.' }),
    responsible_relationship: oneOf(RELATIONSHIPS, { description: "The patient's relationship to the insured." }),
    responsible_details: optional(
      Type.Object(
        {
          ...insured,
          gender: Type.Optional(Gender),
          dob: Type.Optional(BirthDate),
          email: Type.Optional(Email),
        },
        { description: 'The insured, if this is not the patient.' },
      ),
    ),
    front_image: optional(ImageInput('The front of the insurance card.')),
    back_image: optional(ImageInput('The back of the insurance card.')),
    patient_signature_image: optional(ImageInput("The patient's signature.")),
    subjective: optional(Prose(5_000, { description: 'What the patient says about the complaint.' })),
    assessment_plan: optional(Prose(5_000, { description: "The physician's assessment and plan." })),
    diagnosis_codes: optional(Type.Array(IcdCode, { maxItems: 50, description: 'ICD-10 codes of the order.' })),
  },
  { insuredUnlessSelf: true },
);

export const InsuranceInput = shape('InsuranceInput', {
  payor_code: Text(100),
  member_id: Text(100),
  group_id: optional(Text(100)),
  relationship: oneOf(RELATIONSHIPS, { description: "The patient's relationship to the insured." }),
  insured: InsuredInput,
  guarantor: optional(GuarantorDetails),
  is_primary: withDefault(Type.Boolean(), true),
});

export const Insurance = shape('Insurance', {
  payor_code: Type.String(),
  member_id: Type.String(),
  group_id: nullable(Type.String()),
  relationship: Type.String(),
  insured: Insured,
  guarantor: nullable(GuarantorDetails),
  is_primary: Type.Boolean(),
  company: Company,
});

/** Clearing houses. A payor can have a clearing house's code in addition to our payor_code. */
const PROVIDERS = ['change_healthcare', 'availity', 'stedi', 'waystar', 'claim_md', 'apero', 'pverify'] as const;

export const PayorInput = shape(
  'PayorInput',
  {
    name: Text(200),
    address: Address,
    provider: optional(oneOf(PROVIDERS)),
    provider_payor_id: optional(Text(100)),
  },
  { together: ['provider', 'provider_payor_id'] },
);

export const PayorSearch = Type.Object({
  insurance_name: Type.Optional(SearchWords()),
  provider: Type.Optional(WordFilter({ description: 'A clearing house. An unknown one matches no payor.' })),
  provider_payor_id: Type.Optional(WordFilter()),
});

/** The request body of the older operation that searches payors. */
export const PayorSearchBody = shape('PayorSearchBody', {
  insurance_name: optional(SearchWords()),
  provider: optional(WordFilter({ description: 'A clearing house. An unknown one matches no payor.' })),
  provider_id: optional(WordFilter({ description: "The clearing house's own code of the insurance company." })),
});

const payor = {
  name: Type.String(),
  aliases: Type.Array(Type.String()),
  org_address: Address,
  source: oneOf(['platform', 'team'], {
    description: 'platform: a payor that every team sees. team: a payor that the team added.',
  }),
};
export const Payor = shape('Payor', { payor_code: Type.String(), ...payor });
/** A payor in the response of the older operation that searches payors. */
export const OlderPayor = shape('OlderPayor', {
  code: Type.String({ description: 'Code of the insurance company in the payor directory.' }),
  ...payor,
});
