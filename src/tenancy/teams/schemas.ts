import { Type, type TSchema } from 'typebox';
import { Email, Npi } from '../../wire/person.ts';
import { Cursor, nullable, optional, Text, TextFilter, Timestamp, Uuid, WordFilter } from '../../wire/schema.ts';
import { Environment, OrganisationName, Region } from '../schemas.ts';

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
  backfill_events_enabled: on,
  signed_links_end_with_key: optional(Type.Boolean()),
};

const IntegrationTeamId = Type.String({ minLength: 1, maxLength: 256, format: 'reference' });

export const TeamInput = Type.Object({
  ...settings,
  id: optional(Uuid),
  name: OrganisationName,
  region: Region,
  integration_team_id: optional(IntegrationTeamId),
});

const OrNull = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const Changed = OrNull(Text(200, { minLength: 0 }));

/** Keys that are left out stay as they are; null clears what can be empty, and leaves the others. */
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

export const TeamPatch = Type.Object({
  name: OrNull(OrganisationName),
  integration_team_id: OrNull(IntegrationTeamId),
  sandbox: OrNull(TeamEnvironmentPatch),
  production: OrNull(TeamEnvironmentPatch),
});

/** What is said beside `detail` where another team has the reference. */
export const IntegrationTeamIDConflictResponse = Type.Object({
  team_id: Type.String({ format: 'uuid', description: 'The team that has the integration_team_id already.' }),
});

export const TeamReference = Type.Object({ integration_team_id: IntegrationTeamId });

export const TeamFilters = Type.Object({
  team_id: Type.Optional(Uuid),
  region: Type.Optional(Type.Array(WordFilter(), { maxItems: 10 })),
  search_query: Type.Optional(
    TextFilter({ description: 'A piece of the name or of the integration_team_id, in any case.' }),
  ),
  next_cursor: Type.Optional(Cursor()),
});

export const ShownEnvironments = Type.Object({
  include_environment: Type.Optional(
    Type.Array(WordFilter(), {
      maxItems: 10,
      description: 'Whose settings are told; left out, those of the environment that this deployment serves.',
    }),
  ),
});

export const BrandInformation = Type.Object({
  company_name: Type.String(),
  company_website: Type.String(),
  support_email: Type.Optional(
    Type.String({ description: 'Email address that patients may write to; left out where there is none.' }),
  ),
  support_contact: Type.String(),
  company_address: Type.String(),
  brand_color: Type.String(),
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
  patient_experience: Type.Boolean(),
  backfill_events_enabled: Type.Boolean(),
  signed_links_end_with_key: nullable(Type.Boolean()),
});

/** Addresses that link tokens of the team may send browsers to. */
export const LinkRedirectUrls = Type.Object({
  urls: Type.Array(Type.String({ format: 'page-url', maxLength: 2048 }), {
    maxItems: 20,
    description: 'Each is compared letter by letter; state, error_type and error are added to it.',
  }),
});

const listed = {
  id: Uuid,
  name: Type.String(),
  created_on: Timestamp,
  region: Region,
  integration_team_id: nullable(Type.String()),
};

export const TeamPage = Type.Object({
  teams: Type.Array(Type.Object(listed)),
  next_cursor: nullable(Type.String()),
});

export const ManagedTeam = Type.Object({
  ...listed,
  environments: Type.Array(Environment),
  sandbox: nullable(TeamEnvironment),
  production: nullable(TeamEnvironment),
});

const secret = nullable(
  Type.String({ description: 'Always null: keys and secrets are shown once, when they are made.' }),
);
const elsewhere = nullable(Type.String({ description: 'Always null: the service has no account there.' }));

/** A team as its own key sees it. */
export const OwnTeam = Type.Object({
  id: Uuid,
  org_id: Uuid,
  name: Type.String(),
  svix_app_id: nullable(Type.String({ description: 'Always null: the service delivers webhooks by itself.' })),
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
  testkits_texts_enabled: Type.Boolean({ deprecated: true, description: 'Whether patients are told by text message.' }),
  lab_tests_patient_communication_enabled: Type.Boolean({ description: 'Whether patients are told at all.' }),
  lab_tests_patient_sms_communication_enabled: Type.Boolean(),
  lab_tests_patient_email_communication_enabled: Type.Boolean(),
  logo_url: nullable(Type.String()),
  delegated_flow: Type.String({ description: 'Whose physicians order and release results.' }),
  critical_result_notification_email: nullable(Type.String()),
  configuration: Type.Object(
    {
      texts_enabled: Type.Boolean({ description: 'Whether patients are told by text message.' }),
      reject_duplicate_connection: Type.Boolean(),
      sdk_per_device_activity_timeseries: Type.Boolean(),
      partial_webhooks_enabled: Type.Boolean(),
      minor_ordering_enabled: Type.Boolean(),
      backfill_events_enabled: Type.Boolean(),
      provider_raw_data: Type.Boolean({ description: 'Always false: events do not tell what a provider sent raw.' }),
      event_type_prefixes: Type.Unsafe<null>({
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'Always null: each webhook endpoint says by its filter_types what it wants.',
      }),
      libreview: Type.Object(
        {
          practice_id: Type.Object({}, { description: 'Practices by region; there are none.' }),
          strip_tz: Type.Boolean({ description: 'Always false: nothing is read from there.' }),
        },
        { description: 'Practices of LibreView, which is not connected here.' },
      ),
    },
    { description: 'What the team has chosen.' },
  ),
});

/** A physician whom the team orders by. */
export const Physician = Type.Object({ first_name: Type.String(), last_name: Type.String(), npi: Npi });

export const WebhookPortal = Type.Object({
  url: Type.String({ description: "Where the team's webhooks are managed." }),
});
