import { randomUUID } from 'node:crypto';
import type { Api } from './test-app.ts';

/** One entry of a 422's `detail`. */
type Problem = { type: string; loc: (string | number)[]; msg: string; input?: unknown };

/** The body of a 422. */
export type Refusal = { detail: Problem[]; code: string };

/** `body.address.zip string_pattern_mismatch`, one line a problem, sorted. */
export const problemsOf = (response: { body: unknown }): string[] =>
  (response.body as Refusal).detail.map(({ loc, type }) => `${loc.join('.')} ${type}`).sort();

/** Makes a user of the caller's team and returns its id. */
export async function makeUser(api: Api, clientUserId: string = randomUUID()): Promise<string> {
  const { body } = await api<{ user_id: string }>('POST', '/v2/user', { client_user_id: clientUserId });
  return body.user_id;
}

/** An invented address in the form of the interface's section 2.1. */
export const homeAddress = {
  first_line: '1 Saguaro Way',
  country: 'US',
  zip: '85004',
  city: 'Phoenix',
  state: 'AZ',
};

/** An invented person in the form that demographics and insurance need. */
export const person = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  gender: 'female',
  dob: '1980-12-10',
  email: 'ada@example.com',
  phone_number: '+16025550123',
  address: homeAddress,
};

export const guarantor = {
  first_name: 'Byron',
  last_name: 'King',
  address: homeAddress,
  phone_number: '+16025550124',
};
