import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { nullable, optional, Text, Timestamp, Uuid } from '../../wire/schema.ts';
import { Environment, Region } from '../schemas.ts';

const OrganisationName = Type.String({
  maxLength: 80,
  pattern: "^[A-Za-zÀ-ÖØ-öø-ÿ0-9(),/:'|&_\\- ’]*$",
});
const LogoUrl = Type.String({ format: 'http-url' });
const OptionalText = optional(Text(200, { minLength: 0, default: '' }));

export const BrandInformationInput = Type.Object({
  company_name: Text(200),
  company_website: OptionalText,
  support_email: optional(Email),
  support_contact: OptionalText,
  company_address: OptionalText,
  brand_color: OptionalText,
});

const on = Type.Optional(Type.Boolean({ default: true }));
const off = Type.Optional(Type.Boolean({ default: false }));
const offOrNull = optional(Type.Boolean({ default: false }));

/** What a team chooses for itself, as it is stored in `teams.settings`. */
const settings = {
  lab_tests_patient_sms_communication_enabled: on,
  lab_tests_patient_email_communication_enabled: on,
  critical_result_notification_email: optional(Email),
  brand_information: optional(BrandInformationInput),
  logo_url: optional(LogoUrl),
  reject_duplicate_connection: off,
  sdk_per_device_activity_timeseries: off,
  partial_webhooks_enabled: offOrNull,
  minor_ordering_enabled: offOrNull,
};

export const TeamInput = Type.Object({
  ...settings,
  id: optional(Uuid),
  name: OrganisationName,
  region: Region,
  integration_team_id: optional(Type.String({ minLength: 1, maxLength: 256, format: 'reference' })),
});

export const BrandInformation = Type.Object({
  company_name: Type.String(),
  company_website: nullable(Type.String()),
  support_email: nullable(Type.String()),
  support_contact: nullable(Type.String()),
  company_address: nullable(Type.String()),
  brand_color: nullable(Type.String()),
});

export const TeamEnvironment = Type.Object({
  lab_tests_patient_sms_communication_enabled: Type.Boolean(),
  lab_tests_patient_email_communication_enabled: Type.Boolean(),
  critical_result_notification_email: nullable(Type.String()),
  brand_information: nullable(BrandInformation),
  logo_url: nullable(Type.String()),
  reject_duplicate_connection: Type.Boolean(),
  sdk_per_device_activity_timeseries: Type.Boolean(),
  partial_webhooks_enabled: nullable(Type.Boolean()),
  minor_ordering_enabled: nullable(Type.Boolean()),
});

export const DeletedTeam = Type.Object({ success: Type.Boolean() });

export const ManagedTeam = Type.Object({
  id: Uuid,
  name: Type.String(),
  created_on: Timestamp,
  region: Region,
  integration_team_id: nullable(Type.String()),
  environments: Type.Array(Environment),
  sandbox: nullable(TeamEnvironment),
  production: nullable(TeamEnvironment),
});
