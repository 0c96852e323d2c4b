import type { TObject } from 'typebox';
import { formatOf } from '../../wire/formats.ts';

type Member = { type?: string | string[]; format?: string; items?: Member };

/**
 * Reads query values by their schema. A list comes from repeated names or commas. Booleans and numbers come from text.
 * For filters with free text, an empty text means that the value is missing. Any other parameter keeps the empty text,
 * and validation refuses it.
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
    // If a parameter with a single value is repeated, we cannot know which value is meant. The value stays a list, and
    // validation refuses it.
    if (values.length > 0) query[name] = isList || values.length > 1 ? values : values[0];
  }
  return query;
}

/** Reads path parameters. A text becomes a number if the schema declares a number. */
export function readParams(schema: TObject | undefined, raw: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((schema?.properties ?? {}) as Record<string, Member>).map(([name, member]) => [
      name,
      fromText(kindOf(member), raw[name] ?? ''),
    ]),
  );
}

const kindOf = ({ type }: Member): string | undefined => (Array.isArray(type) ? type[0] : type);

/** Converts a text to this type. A text of another form stays a text, and validation refuses it. */
function fromText(kind: string | undefined, text: string): unknown {
  if (kind === 'boolean') {
    if (/^(true|1)$/i.test(text)) return true;
    return /^(false|0)$/i.test(text) ? false : text;
  }
  if (kind === 'integer') return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text;
  if (kind === 'number') return /^[+-]?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}
