/** What may become of a connection, and what people are told of it. */
const OUTCOMES = {
  success: 'You are connected.',
  invalid_token: 'This link is not valid. Ask for a new one where you got it.',
  token_expired: 'This link has expired. Ask for a new one where you got it.',
  token_consumed: 'This link was used already. Ask for a new one where you got it.',
  provider_api_error: 'The provider did not answer as it should. Try again in a while.',
  required_scopes_not_granted: 'You have not allowed what is needed. Try again and allow at least one kind of data.',
  duplicate_connection: 'This account is connected to somebody else already.',
  user_cancelled: 'You have not connected anything.',
} as const;

export type LinkOutcome = keyof typeof OUTCOMES;
export type LinkError = Exclude<LinkOutcome, 'success'>;

export const outcomeText = (outcome: LinkOutcome): string => OUTCOMES[outcome];

/** What an address says became of it; what it does not say, or nobody knows, is an invalid link. */
export const readOutcome = (state: string | undefined, errorType: string | undefined): LinkOutcome => {
  const said = state === 'success' ? 'success' : (errorType ?? '');
  return Object.hasOwn(OUTCOMES, said) ? (said as LinkOutcome) : 'invalid_token';
};
