import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { networksPolicy } from '../../outbound/address-policy.ts';
import { oneOf } from '../../wire/schema.ts';
import { urlOrNull } from '../../wire/text.ts';
import { isUsState } from '../../wire/us-state.ts';
import { APPOINTMENT_PROVIDERS, comesToPatients } from './providers.ts';

const strict = { additionalProperties: false };

/** How a scheduler is spoken to: docs/guides/connect-a-scheduler.md. */
const Http = Type.Object(
  {
    url: Type.String({ minLength: 8, maxLength: 500, description: 'What the paths of the requests follow.' }),
    secret_file: Type.String({
      maxLength: 1_000,
      pattern: '^/',
      description:
        'A file with the secret that both sides sign with, whsec_ and base64; during a change a second line.',
    }),
    networks: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: 50 }), {
        minItems: 1,
        maxItems: 20,
        description: 'Addresses that the host may have, where it is not on the public Internet.',
      }),
    ),
    answer_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 8 })),
  },
  strict,
);

/** What `phial scheduler connect` reads. */
export const SchedulerSettings = Type.Object(
  {
    provider: oneOf(APPOINTMENT_PROVIDERS, { description: 'The name that clients know it by.' }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    states: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { maxItems: 60, description: 'Left out: all.' }),
    ),
    takes_requests: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether visits can be asked for without a time.' }),
    ),
    http: Type.Optional(Http),
    telephone: Type.Optional(Type.Literal(true, { description: 'The operator books by telephone.' })),
  },
  strict,
);
export type SchedulerSettings = Static<typeof SchedulerSettings>;
export type HttpSettings = Static<typeof Http>;

const MOST_TOLD = 20;

/** The contents of a file, or every problem with them, a line each. */
export function readSchedulerFile(text: string): { settings: SchedulerSettings } | { problems: string[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { problems: ['The file is no JSON.'] };
  }
  if (!Value.Check(SchedulerSettings, parsed)) {
    const errors = [...Value.Errors(SchedulerSettings, parsed)].slice(0, MOST_TOLD);
    return { problems: errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`) };
  }
  const problems = problemsOf(parsed);
  return problems.length > 0 ? { problems: problems.slice(0, MOST_TOLD) } : { settings: parsed };
}

function problemsOf({ provider, states = [], http, telephone }: SchedulerSettings): string[] {
  const problems: string[] = [];
  if ((http === undefined) === (telephone === undefined)) problems.push('/ needs either http or telephone.');
  if (telephone && !comesToPatients(provider))
    problems.push('/telephone is for visits at home: nobody asks for a service center without a time.');
  for (const [at, state] of states.entries())
    if (!isUsState(state)) problems.push(`/states/${at} is no state of the United States.`);
  return http ? [...problems, ...problemsOfHttp(http)] : problems;
}

function problemsOfHttp({ url, networks = [] }: HttpSettings): string[] {
  const problems: string[] = [];
  const parsed = urlOrNull(url);
  const schemes = networks.length > 0 ? ['https:', 'http:'] : ['https:'];
  if (!parsed || !schemes.includes(parsed.protocol))
    problems.push('/http/url has to be an https:// address, or http:// within networks that are named.');
  else if (parsed.username !== '' || parsed.search !== '' || parsed.hash !== '')
    problems.push('/http/url may have no user name, query or fragment.');
  for (const network of networks) {
    try {
      networksPolicy([network]);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return problems;
}
