import type { TObject } from 'typebox';
import { formatOf } from '../../wire/formats.ts';

type Member = { type?: string | string[]; format?: string; items?: Member };

/**
 * Query values as their schema reads them: lists by repeated names or commas, booleans and numbers from text. Empty
 * text is as if absent where free text is looked for; anywhere else it stays, for validation to refuse.
 */
export function readQuery(
  schema: TObject | undefined,
  raw: Record<string, string | string[] | undefined>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, member] of Object.entries((schema?.properties ?? {}) as Record<string, Member>)) {
    const given = raw[name];
    if (given === undefined) continue;
    const isList = kindOf(member) === 'array';
    const one = isList ? (member.items ?? {}) : member;
    const values = [given]
      .flat()
      .flatMap((value) => (isList ? value.split(',') : value))
      .map((value) => value.trim())
      .filter((value) => value !== '' || !formatOf(one.format)?.emptyIsAbsent)
      .map((value) => fromText(kindOf(one), value));
    // Said twice, a single value means nothing: the list stays, for validation to refuse.
    if (values.length > 0) query[name] = isList || values.length > 1 ? values : values[0];
  }
  return query;
}

/** Path parameters, numbers where the schema asks for them. */
export function readParams(schema: TObject | undefined, raw: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((schema?.properties ?? {}) as Record<string, Member>).map(([name, member]) => [
      name,
      fromText(kindOf(member), raw[name] ?? ''),
    ]),
  );
}

const kindOf = ({ type }: Member): string | undefined => (Array.isArray(type) ? type[0] : type);

/** Text that does not read as its kind is left as it is, for validation to refuse. */
function fromText(kind: string | undefined, text: string): unknown {
  if (kind === 'boolean') {
    if (/^(true|1)$/i.test(text)) return true;
    return /^(false|0)$/i.test(text) ? false : text;
  }
  if (kind === 'integer') return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text;
  if (kind === 'number') return /^[+-]?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}
