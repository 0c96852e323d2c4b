import { endpoints } from './endpoints.ts';
import { eventCatalogue } from './event-catalogue.ts';
import { eventTypes } from './event-types.ts';
import { BODIES, FIELDS, PARAMETERS, QUERIES } from './glossary/examples.ts';
import { GLOSSARY } from './glossary/glossary.ts';
import { ORG_ANSWERS } from './glossary/org-examples.ts';
import { TAGS } from './glossary/tags.ts';
import { buildOpenApi } from './http/openapi/document.ts';
import * as insurance from './insurance/schemas.ts';
import * as orders from './labs/orders/schemas.ts';
import * as createOrders from './labs/orders/create/schemas.ts';
import * as orderSets from './labs/catalogue/order-sets/schemas.ts';
import * as labTests from './labs/catalogue/schemas.ts';
import * as labs from './labs/laboratories/simulated/schemas.ts';
import { TeamRoleBinding } from './tenancy/role-bindings.ts';
import * as management from './tenancy/schemas.ts';
import * as domains from './tenancy/domains/schemas.ts';
import * as ehr from './tenancy/ehr/schemas.ts';
import * as members from './tenancy/members/schemas.ts';
import * as keys from './tenancy/keys/schemas.ts';
import * as teams from './tenancy/teams/schemas.ts';
import { INTERFACE_VERSION, VERSION } from './package-root.ts';
import * as results from './labs/results/schemas.ts';
import * as system from './system/schemas.ts';
import * as users from './users/schemas.ts';
import * as connections from './wearables/connections/schemas.ts';
import * as providers from './wearables/providers/schemas.ts';
import * as priorities from './wearables/priorities/schemas.ts';
import * as pulls from './wearables/pulls/schemas.ts';
import * as continuous from './wearables/aggregate/continuous/schemas.ts';
import * as aggregate from './wearables/aggregate/schemas.ts';
import * as source from './wearables/source.ts';
import * as sampleInput from './wearables/timeseries/sample-input.ts';
import { DeletedSamples, seriesSchemas, StoredSamples } from './wearables/timeseries/schemas.ts';
import { SampleDeletion } from './wearables/timeseries/deletion/input.ts';
import { SummaryDeletion } from './wearables/summaries/deletion/input.ts';
import * as link from './wearables/link/schemas.ts';
import * as catalogue from './webhooks/event-types/schemas.ts';
import * as feed from './webhooks/feed/schemas.ts';
import * as webhooks from './webhooks/receivers/schemas.ts';
import * as summaries from './wearables/summaries/schemas.ts';
import { SUMMARIES } from './wearables/summaries/resources.ts';
import * as sources from './wearables/source.ts';
import * as diagnoses from './insurance/diagnoses/schemas.ts';
import * as appointments from './labs/appointments/schemas.ts';
import * as compendium from './labs/catalogue/compendium/schemas.ts';
import * as labAccounts from './labs/catalogue/lab-accounts/schemas.ts';
import * as ownTests from './labs/catalogue/own-tests/schemas.ts';
import * as repairs from './labs/laboratories/hl7/management/schemas.ts';
import * as fhir from './labs/laboratories/fhir/schemas.ts';
import * as orderLists from './labs/orders/list/schemas.ts';
import * as orderMessages from './labs/orders/messages/schemas.ts';
import * as places from './labs/places/schemas.ts';
import * as portal from './labs/portal/schemas.ts';
import * as parser from './labs/results/parser/schemas.ts';
import * as unmatched from './labs/results/unmatched/schemas.ts';
import * as ehrPipelines from './pipelines/ehr/schemas.ts';
import * as etlPipelines from './pipelines/etl/schemas.ts';
import * as teamExport from './team-export/schemas.ts';
import * as accessTokens from './tenancy/access-tokens/schemas.ts';
import * as orgs from './tenancy/orgs/schemas.ts';
import * as deletion from './tenancy/teams/deletion/schemas.ts';
import * as credentials from './wearables/credentials/schemas.ts';
import * as files from './wearables/files/schemas.ts';
import * as hooks from './wearables/hooks/schemas.ts';
import * as requirements from './wearables/link/requirements/schemas.ts';
import * as preferences from './wearables/pulls/preferences/schemas.ts';
import * as summaryStreams from './wearables/summaries/summary-streams/schemas.ts';
import * as attempts from './webhooks/attempts/schemas.ts';
import * as metrics from './webhooks/metrics/schemas.ts';
import * as replays from './webhooks/replays/schemas.ts';
import * as address from './wire/address.ts';
import * as guarantor from './wire/guarantor.ts';
import * as person from './wire/person.ts';

/** Where the names of the components come from. */
const schemas = [
  users,
  connections,
  providers,
  aggregate,
  continuous,
  priorities,
  pulls,
  source,
  sampleInput,
  { ...seriesSchemas, StoredSamples, DeletedSamples, SampleDeletion, SummaryDeletion },
  link,
  insurance,
  labTests,
  orders,
  createOrders,
  orderSets,
  labs,
  results,
  management,
  { TeamRoleBinding },
  keys,
  members,
  domains,
  ehr,
  teams,
  webhooks,
  feed,
  catalogue,
  system,
  summaries,
  Object.fromEntries(
    SUMMARIES.flatMap(({ title, shape, input }) => [
      [title, shape],
      [`${title}Input`, input],
    ]),
  ),
  sources,
  diagnoses,
  appointments,
  compendium,
  labAccounts,
  ownTests,
  fhir,
  orderLists,
  orderMessages,
  places,
  portal,
  parser,
  unmatched,
  repairs,
  ehrPipelines,
  etlPipelines,
  teamExport,
  accessTokens,
  orgs,
  deletion,
  credentials,
  files,
  hooks,
  requirements,
  preferences,
  summaryStreams,
  attempts,
  metrics,
  replays,
  address,
  guarantor,
  person,
];

/** As openapi.json at the root has it, for people: of wherever it is loaded from. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

/** Of the service at `baseUrl`, or without one of wherever it is loaded from. */
export function openApiDocument(baseUrl?: string): object {
  return buildOpenApi(endpoints, eventTypes, {
    schemas,
    words: GLOSSARY,
    tags: TAGS,
    examples: {
      bodies: BODIES,
      answers: ORG_ANSWERS,
      parameters: PARAMETERS,
      queries: QUERIES,
      fields: FIELDS,
      events: examplesOfEvents(),
    },
    version: VERSION,
    interfaceVersion: INTERFACE_VERSION,
    baseUrl,
  });
}

const examplesOfEvents = (): Record<string, unknown> =>
  Object.fromEntries(eventCatalogue().data.map(({ name, example }) => [name, example]));
