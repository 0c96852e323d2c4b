/** What the operations of a tag are about. */
export const TAGS: Readonly<Record<string, string>> = {
  users: 'People whose data a team keeps, known by an id of the team.',
  connections: 'Where data of wearables comes from: providers, and who has connected which.',
  timeseries: 'Samples of wearables: heart rate, glucose, steps and what else there is, by provider and source.',
  link: 'Connecting users to providers, one by one or many at once.',
  hooks: 'What providers tell of by themselves. For them, and not for clients.',
  summaries: 'What wearables and apps measured, as one summary a day, a sleep, a workout and so on.',
  team: 'The team that a key belongs to.',
  introspect: 'What data of wearables there is of users, and how it came.',
  aggregate:
    'Numbers of samples and summaries by day, week and month, without counting twice what several sources tell of.',
  continuous_queries: 'Queries that are computed again for each user whose data changes.',
  imports: "Files of a user's data: exports of phones and workouts of watches.",
  insurance: 'The insurance of users, and the directory of insurance companies.',
  lab_tests: 'What laboratories offer: tests, the markers they measure, prices.',
  orders: 'Ordering, registering, following and cancelling lab tests.',
  appointments: 'Blood draws at home and appointments at patient service centers, which move their order on.',
  places: 'Where samples are taken: who comes to patients, and the patient service centers of laboratories.',
  documents: 'What is printed for an order: requisition, labels, result report and what goes to the patient, as PDF.',
  simulation: 'In the sandbox laboratories and carriers are simulated: their steps are asked for.',
  results: 'What the laboratory found.',
  unmatched: 'Results that belong to no order by their numbers, and whose they are.',
  lab_reports: 'Reports of laboratories on paper or as files, read into results.',
  repairs:
    'What waits between a team and its laboratories: messages that could not be read, orders that were refused, and results of no order.',
  management:
    'An organisation and its teams: what they are called and may, the keys and tokens of both, deleting a team and taking its data ' +
    'along, where its events are streamed to, and how its users connect wearables.',
  people: 'People of an organisation, and who is invited.',
  domains: 'Domains that an organisation has shown to be its own.',
  ehr: 'An EHR that works with an organisation: the people it keeps here, and links that let them in.',
  webhooks:
    'Where events are sent to, and the secrets and key pairs they are signed with; what each attempt brought, sending again and ' +
    'replaying, trying an endpoint, and how deliveries go.',
  system: 'Whether the service lives and is ready, and which version it is.',
  events:
    'What the service tells by webhooks and by the change feed. `GET /v2/event_types` has the schema of each type and an example, and ' +
    '`openapi.json` the same under `webhooks`.',
};
