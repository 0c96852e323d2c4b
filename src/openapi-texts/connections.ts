/** Descriptions by field name, for every schema. */
export const connections: Record<string, string> = {
  supported_resources: 'Kinds of data that the provider can deliver, in the words of event names.',
  scope_requirements: 'OAuth scopes that each kind of data needs; null where scopes decide nothing or are not known.',
  user_granted: 'Scopes that the user granted.',
  user_denied: 'Scopes that the user denied.',
  error_message: 'What happened and what to do, for a person.',
  errored_at: 'Time of the error, UTC.',
  error_details: 'Why the connection delivers no data; null where it works.',
  connections: 'One connection for each user.',
  providers: 'Providers that the user connected.',
  oauth_provider: 'Slug of a provider that users connect on its own page.',
  expires_at: 'End of validity, UTC.',
  started_at: 'Start, UTC.',
  ended_at: 'End, UTC; null while it runs.',
};
