import { Type } from 'typebox';
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
} from '../wire/person.ts';
import { Address } from '../wire/address.ts';
import { GuarantorDetails } from '../wire/guarantor.ts';
import { CalendarDate, nullable, optional, Timestamp, Uuid } from '../wire/schema.ts';
import { shape } from '../wire/shape.ts';

export const ClientUserId = Type.String({
  minLength: 1,
  maxLength: 256,
  format: 'reference',
  description: "The customer's own reference, unique in a team.",
});
const TimeZone = Type.String({ format: 'time-zone', description: 'IANA time zone, such as America/Phoenix.' });

export const UserInput = shape(
  'UserInput',
  {
    client_user_id: ClientUserId,
    fallback_time_zone: optional(TimeZone),
    fallback_birth_date: optional(BirthDate),
    ingestion_start: optional(CalendarDate),
    ingestion_end: optional(CalendarDate),
  },
  { ascending: ['ingestion_start', 'ingestion_end'] },
);

/** The fields to change. A field that is missing does not change, and null clears a field. */
export const UserPatch = shape(
  'UserPatch',
  {
    client_user_id: Type.Optional(nullable(ClientUserId)),
    fallback_time_zone: Type.Optional(nullable(TimeZone)),
    fallback_birth_date: Type.Optional(nullable(BirthDate)),
    ingestion_start: Type.Optional(nullable(CalendarDate)),
    ingestion_end: Type.Optional(nullable(CalendarDate)),
  },
  { ascending: ['ingestion_start', 'ingestion_end'] },
);

export const Provider = shape('Provider', { name: Type.String(), slug: Type.String(), logo: Type.String() });

export const User = shape('User', {
  user_id: Uuid,
  team_id: Uuid,
  client_user_id: Type.String(),
  created_on: Timestamp,
  connected_sources: Type.Array(Type.Object({ provider: Provider, created_on: Timestamp, source: Provider })),
  fallback_time_zone: nullable(Type.Object({ id: Type.String(), source_slug: Type.String(), updated_at: Timestamp })),
  fallback_birth_date: nullable(
    Type.Object({ value: CalendarDate, source_slug: Type.String(), updated_at: Timestamp }),
  ),
  ingestion_start: nullable(CalendarDate),
  ingestion_end: nullable(CalendarDate),
});

export const UserPage = shape('UserPage', {
  users: Type.Array(User),
  total: Type.Integer(),
  offset: Type.Integer(),
  limit: Type.Integer(),
});

const demographics = {
  first_name: PersonName,
  last_name: PersonName,
  email: Email,
  phone_number: PhoneNumber,
  gender: Gender,
  dob: BirthDate,
  address: Address,
  medical_proxy: optional(GuarantorDetails),
  race: optional(Race),
  ethnicity: optional(Ethnicity),
  sexual_orientation: optional(SexualOrientation),
  gender_identity: optional(GenderIdentity),
};

export const UserInfoInput = shape('UserInfoInput', demographics);
/** Demographics in the stored form. An enum may have a value that this release does not know. */
export const UserInfo = shape('UserInfo', {
  ...demographics,
  gender: Type.String(),
  race: nullable(Type.String()),
  ethnicity: nullable(Type.String()),
  sexual_orientation: nullable(Type.String()),
  gender_identity: nullable(Type.String()),
  medical_proxy: nullable(GuarantorDetails),
});

export const MetricPoint = shape('MetricPoint', {
  date: Timestamp,
  value: Type.Number({ description: 'Connections that were made in the week and still exist.' }),
  all: Type.Number({ description: 'Connections that exist by the end of the week.' }),
});

export const TeamMetrics = shape('TeamMetrics', {
  team_id: Uuid,
  number_of_connected_sources: Type.Integer(),
  number_of_users: Type.Integer(),
  number_of_errored_connected_sources: Type.Integer(),
  number_of_connected_sources_by_week: Type.Array(MetricPoint),
  number_of_ordered_tests: Type.Integer(),
});

export const SignInToken = shape('SignInToken', {
  user_id: Uuid,
  sign_in_token: Type.String({ description: 'The whole token. It is shown here and never again.' }),
});

export const Success = shape('Success', { success: Type.Boolean() });
