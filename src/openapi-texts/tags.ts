/** Descriptions of the tags of operations. */
export const TAGS: Readonly<Record<string, string>> = {
  users: 'People whose data a team stores. Each has an id of the team.',
  connections: 'Sources of wearable data: providers, and the connections of users.',
  timeseries: 'Samples of wearables, such as heart rate, glucose and steps, by provider and source.',
  link: 'Connect users to providers, one by one or many at once.',
  hooks: 'Notifications that providers send. They are for providers, not for clients.',
  summaries: 'Measurements of wearables and apps, as one summary for each day, sleep, workout and so on.',
  team: 'The team of the key.',
  introspect: 'Which wearable data of users exists, and how it arrived.',
  aggregate: 'Numbers from samples and summaries by day, week and month. Data that several sources report counts once.',
  continuous_queries: 'Queries that Phial computes again for each user whose data changes.',
  imports: "Files with a user's data: exports of phones and workouts of watches.",
  insurance: 'The insurance of users, and the directory of insurance companies.',
  lab_tests: 'Offers of laboratories: tests, the markers they measure, and prices.',
  orders: 'Order, register, follow and cancel lab tests.',
  appointments: 'Appointments for blood draws at home and at patient service centers. They advance their order.',
  places:
    'Locations of samples: areas in which phlebotomists visit patients, and patient service centers of laboratories.',
  documents: 'Documents of an order as PDF: requisition, labels, result report and papers for the patient.',
  simulation: 'Simulated laboratories and carriers of the sandbox. A request starts each step.',
  results: 'The results that the laboratory reported.',
  unmatched: 'Results whose numbers match no order, and the decision to which order they belong.',
  lab_reports: 'Reports of laboratories on paper or as files, which Phial reads into results.',
  repairs:
    'Work between a team and its laboratories: unreadable messages, refused orders, and results without an order.',
  management:
    'An organisation and its teams: their names and settings, their keys and tokens, the export and deletion ' +
    'of a team, ' +
    'the streaming of its events, and the way in which its users connect wearables.',
  overview: 'What happens in an organisation: audit log, plan and usage, and the state of a team at a glance.',
  people: 'Members of an organisation, and invites.',
  sessions: 'Signing in to the dashboard: one-time links, and the session of a person who is signed in.',
  domains: 'Domains whose ownership an organisation proved.',
  ehr: 'An EHR that works with an organisation: the people it manages here, and links that sign them in.',
  webhooks:
    'Endpoints for webhooks, with the secrets and key pairs of their signatures. The log of attempts, resending and ' +
    'replaying, tests of an endpoint, and figures about deliveries.',
  system: 'Whether the service is alive and ready, and its version.',
  events:
    'Events that the service publishes by webhooks and in the change feed. `GET /v2/event_types` has the ' +
    'schema of each type and an example, and ' +
    '`openapi.json` has the same under `webhooks`.',
};
