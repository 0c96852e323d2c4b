import { Type, type TSchema } from 'typebox';
import { Email, Npi, PhysicianName } from '../../wire/person.ts';
import { Cursor, nullable, optional, Text, TextFilter, Timestamp, Uuid, WordFilter } from '../../wire/schema.ts';
import { Environment, OrganisationName, Region } from '../schemas.ts';
import { shape } from '../../wire/shape.ts';

const LogoUrl = Type.String({ format: 'http-url' });
const OptionalText = optional(Text(200, { minLength: 0, default: '' }));

const BrandInformationInput = shape('BrandInformationInput', {
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

/** The settings of a team, as they are stored in `teams.settings`. */
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
  backfill_events_enabled: on,
  signed_links_end_with_key: optional(Type.Boolean()),
};

const IntegrationTeamId = Type.String({ minLength: 1, maxLength: 256, format: 'reference' });

export const TeamInput = shape('TeamInput', {
  ...settings,
  id: optional(Uuid),
  name: OrganisationName,
  region: Region,
  integration_team_id: optional(IntegrationTeamId),
});

const OrNull = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const Changed = OrNull(Text(200, { minLength: 0 }));

/**
 * A property that is absent in the request keeps its value. Null clears a property that can be empty, and changes
 * nothing in others.
 */
const TeamEnvironmentPatch = Type.Object({
  lab_tests_patient_sms_communication_enabled: OrNull(Type.Boolean()),
  lab_tests_patient_email_communication_enabled: OrNull(Type.Boolean()),
  critical_result_notification_email: OrNull(Email),
  brand_information: OrNull(
    Type.Object({
      company_name: OrNull(Text(200)),
      company_website: Changed,
      support_email: OrNull(Email),
      support_contact: Changed,
      company_address: Changed,
      brand_color: Changed,
    }),
  ),
  logo_url: OrNull(LogoUrl),
  reject_duplicate_connection: OrNull(Type.Boolean()),
  sdk_per_device_activity_timeseries: OrNull(Type.Boolean()),
  partial_webhooks_enabled: OrNull(Type.Boolean()),
  minor_ordering_enabled: OrNull(Type.Boolean()),
  patient_experience: OrNull(Type.Boolean()),
  backfill_events_enabled: OrNull(Type.Boolean()),
  signed_links_end_with_key: OrNull(Type.Boolean()),
});

export const TeamPatch = shape('TeamPatch', {
  name: OrNull(OrganisationName),
  integration_team_id: OrNull(IntegrationTeamId),
  sandbox: OrNull(TeamEnvironmentPatch),
  production: OrNull(TeamEnvironmentPatch),
});

/** Further properties of the error response, next to `detail`, if another team already has the id. */
export const IntegrationTeamIDConflictResponse = shape('IntegrationTeamIDConflictResponse', {
  team_id: Type.String({ format: 'uuid', description: 'The team that already has the integration_team_id.' }),
});

export const TeamReference = shape('TeamReference', { integration_team_id: IntegrationTeamId });

export const TeamFilters = Type.Object({
  team_id: Type.Optional(Uuid),
  region: Type.Optional(Type.Array(WordFilter(), { maxItems: 10 })),
  search_query: Type.Optional(
    TextFilter({ description: 'A part of the name or of the integration_team_id, in any case.' }),
  ),
  next_cursor: Type.Optional(Cursor()),
});

export const ShownEnvironments = Type.Object({
  include_environment: Type.Optional(
    Type.Array(WordFilter(), {
      maxItems: 10,
      description: 'The environments whose settings are returned. Absent: the environment of this deployment.',
    }),
  ),
});

export const BrandInformation = shape('BrandInformation', {
  company_name: Type.String(),
  company_website: Type.String(),
  support_email: Type.Optional(
    Type.String({ description: 'The email address for patients. Absent when there is none.' }),
  ),
  support_contact: Type.String(),
  company_address: Type.String(),
  brand_color: Type.String(),
});

const TeamEnvironment = shape('TeamEnvironment', {
  lab_tests_patient_sms_communication_enabled: Type.Boolean(),
  lab_tests_patient_email_communication_enabled: Type.Boolean(),
  critical_result_notification_email: nullable(Type.String()),
  brand_information: nullable(BrandInformation),
  logo_url: nullable(Type.String()),
  reject_duplicate_connection: Type.Boolean(),
  sdk_per_device_activity_timeseries: Type.Boolean(),
  partial_webhooks_enabled: nullable(Type.Boolean()),
  minor_ordering_enabled: nullable(Type.Boolean()),
  patient_experience: Type.Boolean(),
  backfill_events_enabled: Type.Boolean(),
  signed_links_end_with_key: nullable(Type.Boolean()),
});

/** The URLs to which link tokens of the team may redirect browsers. */
export const LinkRedirectUrls = shape('LinkRedirectUrls', {
  urls: Type.Array(Type.String({ format: 'page-url', maxLength: 2048 }), {
    maxItems: 20,
    description: 'Each is compared exactly. The redirect adds state, error_type and error.',
  }),
});

const listed = {
  id: Uuid,
  name: Type.String(),
  created_on: Timestamp,
  region: Region,
  integration_team_id: nullable(Type.String()),
};

export const TeamPage = shape('TeamPage', {
  teams: Type.Array(Type.Object(listed)),
  next_cursor: nullable(Type.String()),
});

export const ManagedTeam = shape('ManagedTeam', {
  ...listed,
  environments: Type.Array(Environment),
  sandbox: nullable(TeamEnvironment),
  production: nullable(TeamEnvironment),
});

const secret = nullable(
  Type.String({ description: 'Always null: keys and secrets are shown once, when they are made.' }),
);
const elsewhere = nullable(Type.String({ description: 'Always null: the service has no account there.' }));

/** A team as its own API key sees it. */
export const OwnTeam = shape('OwnTeam', {
  id: Uuid,
  org_id: Uuid,
  name: Type.String(),
  svix_app_id: nullable(Type.String({ description: 'Always null: the service delivers webhooks itself.' })),
  client_id: secret,
  client_secret: secret,
  airtable_api_key: elsewhere,
  airtable_base_id: elsewhere,
  webhook_secret: secret,
  api_key: secret,
  api_keys: Type.Unsafe<null>({
    type: ['array', 'null'],
    items: { type: 'object' },
    description: 'Always null: the management API lists the keys of a team.',
  }),
  testkits_texts_enabled: Type.Boolean({
    deprecated: true,
    description: 'Whether patients are notified by text message.',
  }),
  lab_tests_patient_communication_enabled: Type.Boolean({ description: 'Whether patients are notified at all.' }),
  lab_tests_patient_sms_communication_enabled: Type.Boolean(),
  lab_tests_patient_email_communication_enabled: Type.Boolean(),
  logo_url: nullable(Type.String()),
  delegated_flow: Type.String({ description: 'Whose physicians order, and release results.' }),
  critical_result_notification_email: nullable(Type.String()),
  configuration: Type.Object(
    {
      texts_enabled: Type.Boolean({ description: 'Whether patients are notified by text message.' }),
      reject_duplicate_connection: Type.Boolean(),
      sdk_per_device_activity_timeseries: Type.Boolean(),
      partial_webhooks_enabled: Type.Boolean(),
      minor_ordering_enabled: Type.Boolean(),
      backfill_events_enabled: Type.Boolean(),
      provider_raw_data: Type.Boolean({ description: 'Always false: events do not contain raw data of a provider.' }),
      event_type_prefixes: Type.Unsafe<null>({
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'Always null: the filter_types of each webhook endpoint select its events.',
      }),
      libreview: Type.Object(
        {
          practice_id: Type.Object({}, { description: 'Practices by region. There are none.' }),
          strip_tz: Type.Boolean({ description: 'Always false: nothing is read from LibreView.' }),
        },
        { description: 'Practices of LibreView, which is not connected here.' },
      ),
    },
    { description: 'The settings of the team.' },
  ),
});

/** A physician who orders tests for the team. */
/** The name of a physician. The path has the NPI. */
export const PhysicianNames = shape('PhysicianNames', {
  first_name: PhysicianName('Given'),
  last_name: PhysicianName('Family'),
});

export const Physician = shape('Physician', {
  first_name: Type.String({ description: 'Given name of the physician.' }),
  last_name: Type.String({ description: 'Family name of the physician.' }),
  npi: Npi,
});

export const WebhookPortal = shape('WebhookPortal', {
  url: Type.String({ description: "The page for managing the team's webhooks." }),
});

export const ClosedBetas = shape('ClosedBetas', {
  data: Type.Array(
    Type.Object({ name: Type.String(), is_open: Type.Boolean({ description: 'Whether the team may use it.' }) }),
  ),
});

export const ClosedBetaInput = shape('ClosedBetaInput', {
  is_open: Type.Boolean({ description: 'Whether the team may use the beta.' }),
});
