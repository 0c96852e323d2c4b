import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { networksPolicy } from '../../outbound/address-policy.ts';
import { oneOf } from '../../wire/schema.ts';
import { urlOrNull } from '../../wire/text.ts';
import { isUsState } from '../../wire/us-state.ts';
import { APPOINTMENT_PROVIDERS, comesToPatients } from './providers.ts';

const strict = { additionalProperties: false };

/** The URL of a scheduler and the settings of requests to it. See docs/guides/connect-a-scheduler.md. */
const Http = Type.Object(
  {
    url: Type.String({
      minLength: 8,
      maxLength: 500,
      description: 'The base of all request URLs; the paths follow it.',
    }),
    secret_file: Type.String({
      maxLength: 1_000,
      pattern: '^/',
      description:
        'A file with the secret that both sides sign with, whsec_ and base64; a second line during a change ' +
        'of the secret.',
    }),
    networks: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: 50 }), {
        minItems: 1,
        maxItems: 20,
        description: 'The addresses that the host may have, if it is not on the public Internet.',
      }),
    ),
    answer_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 8 })),
  },
  strict,
);

/** The file that `phial scheduler connect` reads. */
export const SchedulerSettings = Type.Object(
  {
    provider: oneOf(APPOINTMENT_PROVIDERS, { description: 'The name by which clients know the scheduler.' }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    states: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { maxItems: 60, description: 'Default: all.' }),
    ),
    takes_requests: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether a client can request a visit without a time.' }),
    ),
    http: Type.Optional(Http),
    telephone: Type.Optional(Type.Literal(true, { description: 'The operator books by telephone.' })),
  },
  strict,
);
export type SchedulerSettings = Static<typeof SchedulerSettings>;
export type HttpSettings = Static<typeof Http>;

const MAX_PROBLEMS = 20;

/** Reads a settings file. Returns its contents, or a list of all its problems. */
export function readSchedulerFile(text: string): { settings: SchedulerSettings } | { problems: string[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problems: ['The file is not JSON.'] };
  }
  if (!Value.Check(SchedulerSettings, parsed)) {
    const errors = [...Value.Errors(SchedulerSettings, parsed)].slice(0, MAX_PROBLEMS);
    return { problems: errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`) };
  }
  const problems = problemsOf(parsed);
  return problems.length > 0 ? { problems: problems.slice(0, MAX_PROBLEMS) } : { settings: parsed };
}

function problemsOf({ provider, states = [], http, telephone }: SchedulerSettings): string[] {
  const problems: string[] = [];
  if ((http === undefined) === (telephone === undefined)) problems.push('/ needs either http or telephone.');
  if (telephone && !comesToPatients(provider))
    problems.push('/telephone is only for visits at home: service centers take no requests without a time.');
  for (const [at, state] of states.entries())
    if (!isUsState(state)) problems.push(`/states/${at} is no state of the United States.`);
  return http ? [...problems, ...problemsOfHttp(http)] : problems;
}

function problemsOfHttp({ url, networks = [] }: HttpSettings): string[] {
  const problems: string[] = [];
  const parsed = urlOrNull(url);
  const schemes = networks.length > 0 ? ['https:', 'http:'] : ['https:'];
  if (!parsed || !schemes.includes(parsed.protocol))
    problems.push('/http/url must be an https:// address, or http:// if networks are given.');
  else if (parsed.username !== '' || parsed.search !== '' || parsed.hash !== '')
    problems.push('/http/url must not have a user name, query or fragment.');
  for (const network of networks) {
    try {
      networksPolicy([network]);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return problems;
}
