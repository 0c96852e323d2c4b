// Writes the page of error codes for people, `docs/guides/errors-by-code.md`.
import { CODES, statusOf } from '../src/http/error-response.ts';
import { REMEDIES } from '../src/openapi-texts/remedies.ts';

const INTRODUCTION = `# Errors by code

<!-- Made from src/openapi-texts/remedies.ts by \`npm run interface\`. Do not change it by hand. -->

A refusal has a \`code\`, which never changes its meaning. [Handle errors](handle-errors.md) shows the shape of a
refusal, and how to send a request again. Each line says what you do about a code. The operation says when it refuses
with it.
`;

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'a rule forbids the request',
  401: 'the key is missing or wrong',
  403: 'the key may not do this',
  404: 'there is no such thing',
  405: 'the path has no such method',
  408: 'the request came too slowly',
  409: 'something else exists or runs',
  410: 'it is gone',
  413: 'the body is too large',
  414: 'the address is too long',
  415: 'the body has the wrong type',
  422: 'the request is not valid',
  429: 'too many requests',
  431: 'the headers are too large',
  500: 'an error of the service',
  503: 'not now',
};

/** Throws where a code has no line, or a line has no code. */
export function errorPage(): string {
  const unknown = Object.keys(REMEDIES).filter((code) => !(CODES as string[]).includes(code));
  if (unknown.length > 0) throw new Error(`src/openapi-texts/remedies.ts has lines of no code: ${unknown.join(', ')}.`);
  const statuses = [...new Set(CODES.map(statusOf))].toSorted((a, b) => a - b);
  const sections = statuses.map((status) => {
    const meaning = MEANINGS[status];
    if (!meaning) throw new Error(`test/generate-error-page.ts has no meaning of the status ${status}.`);
    const rows = CODES.filter((code) => statusOf(code) === status).map((code) => `| \`${code}\` | ${remedyOf(code)} |`);
    return `## ${status}: ${meaning}\n\n| code | what to do |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function remedyOf(code: string): string {
  const remedy = REMEDIES[code];
  if (!remedy) throw new Error(`Say in src/openapi-texts/remedies.ts what a program does about ${code}.`);
  return remedy;
}
