import type { TObject } from 'typebox';

type Member = { type?: string | string[]; items?: { type?: string } };

/** Query values as their schema reads them: lists by repeated names or commas, booleans and numbers from text, empty is absent. */
export function readQuery(
  schema: TObject | undefined,
  raw: Record<string, string | string[] | undefined>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, member] of Object.entries((schema?.properties ?? {}) as Record<string, Member>)) {
    const values = [raw[name] ?? []]
      .flat()
      .map((value) => value.trim())
      .filter((value) => value !== '');
    if (values.length === 0) continue;
    const kind = kindOf(member);
    if (kind === 'array') {
      const items = kindOf(member.items ?? {});
      query[name] = values.flatMap((value) => value.split(',')).map((value) => fromText(items, value.trim()));
    } else {
      // Said twice, it means nothing: the list stays, for validation to refuse.
      query[name] = values.length === 1 ? fromText(kind, values[0] as string) : values;
    }
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
