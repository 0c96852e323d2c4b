/** What a field of this name means, wherever it stands. */
export const connections: Record<string, string> = {
  supported_resources: 'What data of it can be, as events name it.',
  scope_requirements: 'Which scopes decide about it; null where scopes decide nothing or are not known.',
  user_granted: 'What the user has agreed to.',
  user_denied: 'What the user has refused.',
  error_message: 'What happened and what to do, for people.',
  errored_at: 'Since when, UTC.',
  error_details: 'Why the connection brings nothing any more; null where it does.',
  connections: 'One for each user.',
  providers: 'Providers that the user has connected.',
  oauth_provider: 'Slug of a provider that is connected at a page of its own.',
  expires_at: 'Until when it is good, UTC.',
  started_at: 'When it began, UTC.',
  ended_at: 'When it was done, UTC; null while it is not.',
};
