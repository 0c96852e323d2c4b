/** The outcomes of a connection, each with the text for people. */
const OUTCOMES = {
  success: 'You are connected.',
  invalid_token: 'This link is not valid. Ask for a new one where you got it.',
  token_expired: 'This link has expired. Ask for a new one where you got it.',
  token_consumed: 'This link was used already. Ask for a new one where you got it.',
  provider_credential_error: 'That was not right. Look at what you have typed, and try again.',
  provider_password_expired: 'Your password has expired there. Choose a new one at the provider, and try again.',
  incorrect_mfa_code: 'That is not the code that was sent to you. Look again, or begin anew.',
  unsupported_region: 'Accounts of your region cannot be connected.',
  provider_api_error: 'The provider did not answer as it should. Try again in a while.',
  required_scopes_not_granted: 'You have not allowed what is needed. Try again and allow at least one kind of data.',
  duplicate_connection: 'This account is connected to somebody else already.',
  user_cancelled: 'You have not connected anything.',
} as const;

export type LinkOutcome = keyof typeof OUTCOMES;
export type LinkError = Exclude<LinkOutcome, 'success'>;

export const outcomeText = (outcome: LinkOutcome): string => OUTCOMES[outcome];

/** Reads the outcome from the parameters of an address. An unknown outcome becomes `invalid_token`. */
export const readOutcome = (state: string | undefined, errorType: string | undefined): LinkOutcome => {
  const said = state === 'success' ? 'success' : (errorType ?? '');
  return Object.hasOwn(OUTCOMES, said) ? (said as LinkOutcome) : 'invalid_token';
};
