import { Type } from 'typebox';
import { Address } from '../wire/address.ts';
import { GuarantorDetails } from '../wire/guarantor.ts';
import { ImageInput } from '../wire/image/input.ts';
import { BirthDate, Email, Gender, PersonName, PhoneNumber } from '../wire/person.ts';
import { IcdCode } from './diagnoses/schemas.ts';
import { nullable, oneOf, optional, SearchWords, Prose, Text, withDefault, WordFilter } from '../wire/schema.ts';

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

/** The person whose insurance it is; the patient where the relationship is Self. */
export const InsuredInput = Type.Object(insured);
/** As it was stored: enums may hold values that are not known here. */
export const Insured = Type.Object({ ...insured, gender: Type.String() });

export const Company = Type.Object({ name: Type.String(), address: Address });

/** Insurance as it comes with an order; kept as an insurance record of the patient, with documents beside it. */
export const HealthInsuranceInput = Type.Object(
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
        { description: 'The insured, where the patient is not.' },
      ),
    ),
    front_image: optional(ImageInput('The front of the insurance card.')),
    back_image: optional(ImageInput('The back of the insurance card.')),
    patient_signature_image: optional(ImageInput("The patient's signature.")),
    subjective: optional(Prose(5_000, { description: 'What the patient tells of the complaint.' })),
    assessment_plan: optional(Prose(5_000, { description: "The physician's assessment and plan." })),
    diagnosis_codes: optional(Type.Array(IcdCode, { maxItems: 50, description: 'ICD-10 codes; those of the order.' })),
  },
  { insuredUnlessSelf: true },
);

export const InsuranceInput = Type.Object({
  payor_code: Text(100),
  member_id: Text(100),
  group_id: optional(Text(100)),
  relationship: oneOf(RELATIONSHIPS, { description: "The patient's relationship to the insured." }),
  insured: InsuredInput,
  guarantor: optional(GuarantorDetails),
  is_primary: withDefault(Type.Boolean(), true),
});

export const Insurance = Type.Object({
  payor_code: Type.String(),
  member_id: Type.String(),
  group_id: nullable(Type.String()),
  relationship: Type.String(),
  insured: Insured,
  guarantor: nullable(GuarantorDetails),
  is_primary: Type.Boolean(),
  company: Company,
});

/** Clearing houses whose code for a payor can be stored beside ours. */
const PROVIDERS = ['change_healthcare', 'availity', 'stedi', 'waystar', 'claim_md', 'apero', 'pverify'] as const;

export const PayorInput = Type.Object(
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
  provider: Type.Optional(WordFilter({ description: 'A clearing house; an unknown one knows no payor.' })),
  provider_payor_id: Type.Optional(WordFilter()),
});

/** The older form of the search. */
export const PayorSearchBody = Type.Object({
  insurance_name: optional(SearchWords()),
  provider: optional(WordFilter({ description: 'A clearing house; an unknown one knows no payor.' })),
  provider_id: optional(WordFilter({ description: "The clearing house's own code of the insurance company." })),
});

const payor = {
  name: Type.String(),
  aliases: Type.Array(Type.String()),
  org_address: Address,
  source: oneOf(['platform', 'team'], { description: "Everybody's payors, or those that the team added itself." }),
};
export const Payor = Type.Object({ payor_code: Type.String(), ...payor });
/** As the older form of the search answers. */
export const OlderPayor = Type.Object({
  code: Type.String({ description: 'Code of the insurance company in the payor directory.' }),
  ...payor,
});
