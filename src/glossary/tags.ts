/** What the operations of a tag are about. */
export const TAGS: Readonly<Record<string, string>> = {
  users: 'People whose data a team keeps, known by an id of the team.',
  insurance: 'The insurance of users, and the directory of insurance companies.',
  lab_tests: 'What laboratories offer: tests, the markers they measure, prices.',
  orders: 'Ordering, registering, following and cancelling lab tests.',
  simulation: 'In the sandbox laboratories and carriers are simulated: their steps are asked for.',
  results: 'What the laboratory found.',
  management: 'Teams of an organisation and the keys of both.',
  webhooks: 'Where events are sent to, and the secrets they are signed with.',
  system: 'Whether the service lives and is ready, and which version it is.',
  events: 'What the service tells by webhooks.',
};
