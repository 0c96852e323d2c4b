// Shows a JSON Schema as a list of fields, in which a reader opens what is nested.
import { nameOf, type Document, type Schema } from './document.ts';
import { code, escape } from './html.ts';
import { renderLine } from './markdown.ts';

/** Deeper components are links to their own page. Otherwise the page of an order would have every field ten times. */
const OPENED_DEPTH = 3;
const SHOWN_VALUES = 40;
/** Longer patterns list characters that no text may have. The description says it in words. */
const LONGEST_PATTERN = 60;

type Within = { document: Document; root: string; open: string[] };

export function schemaView(schema: Schema, within: { document: Document; root: string }): string {
  return contents(schema, { ...within, open: [] }) || `<p class="type">${typeOf(schema)}</p>`;
}

/** Returns the fields of `schema`, or of the items of its list. Empty if it has none. */
function contents(schema: Schema, within: Within): string {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    const target = within.document.components.schemas[name];
    return target ? contents(target, { ...within, open: [...within.open, name] }) : '';
  }
  if (schema.items) return contents(schema.items, within);
  if (schema.anyOf) return anyOf(schema.anyOf, within);
  const patterns = Object.values(schema.patternProperties ?? {}).map((member) => ['any name', member] as const);
  const rest =
    typeof schema.additionalProperties === 'object' ? [['any name', schema.additionalProperties] as const] : [];
  const members = [...Object.entries(schema.properties ?? {}), ...patterns, ...rest];
  if (members.length === 0) return '';
  const required = new Set(schema.required ?? []);
  return `<ul class="fields">${members
    .map(([name, member]) => field(name, member, required.has(name), within))
    .join('\n')}</ul>`;
}

function anyOf(members: Schema[], within: Within): string {
  const shown = members.map((member) => [member, contents(member, within)] as const).filter(([, inner]) => inner);
  if (shown.length === 1) return shown[0]?.[1] ?? '';
  return shown.map(([member, inner]) => `<details><summary>${typeOf(member)}</summary>${inner}</details>`).join('\n');
}

function field(name: string, schema: Schema, isRequired: boolean, within: Within): string {
  const flags = [isRequired && 'required', schema.deprecated && 'deprecated'].filter(Boolean).join(', ');
  const description = schema.description ?? componentOf(schema, within.document)?.description;
  return [
    `<li><p>${code(name)} <span class="type">${typeOf(schema)}</span>`,
    flags && ` <span class="flag">${flags}</span>`,
    '</p>',
    description && `<p>${renderLine(description)}</p>`,
    limitsOf(schema, within.document),
    nested(schema, within),
    '</li>',
  ]
    .filter(Boolean)
    .join('');
}

function nested(schema: Schema, within: Within): string {
  const name = refOf(schema);
  if (name && (within.open.length >= OPENED_DEPTH || within.open.includes(name)))
    return `<p><a href="${within.root}schemas/${name}">${escape(name)}</a></p>`;
  const inner = contents(schema, within);
  return inner && `<details><summary>Fields${name ? ` of ${escape(name)}` : ''}</summary>${inner}</details>`;
}

/** The component that a schema, the items of its list, or its only member other than null refers to. */
function refOf(schema: Schema): string | null {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.items) return refOf(schema.items);
  const members = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return members.length === 1 ? refOf(members[0] as Schema) : null;
}

const componentOf = (schema: Schema, { components }: Document): Schema | undefined =>
  schema.$ref ? components.schemas[nameOf(schema.$ref)] : undefined;

export function typeOf(schema: Schema): string {
  if (schema.$ref) return escape(nameOf(schema.$ref));
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  const types = [schema.type ?? 'any value'].flat().join(' or ');
  return escape(typeof schema['format'] === 'string' ? `${types} (${schema['format']})` : types);
}

const LIMITS: Readonly<Record<string, string>> = {
  minLength: 'at least % characters',
  maxLength: 'at most % characters',
  minimum: 'at least %',
  maximum: 'at most %',
  minItems: 'at least % items',
  maxItems: 'at most % items',
  maxProperties: 'at most % names',
  pattern: 'pattern %',
};

/** Returns the values and bounds that a field allows. */
export function limitsOf(schema: Schema, document: Document): string {
  const known = componentOf(schema, document) ?? schema;
  const limits = Object.entries(LIMITS).flatMap(([key, words]) =>
    known[key] === undefined || String(known[key]).length > LONGEST_PATTERN
      ? []
      : [words.replace('%', () => code(String(known[key])))],
  );
  const values = (known.enum ?? []).map((value) => code(JSON.stringify(value)));
  const shown = values.slice(0, SHOWN_VALUES).join(', ');
  const others = values.slice(SHOWN_VALUES).join(', ');
  return [
    shown && `<p class="limits">One of ${shown}</p>`,
    others && `<details><summary>${values.length - SHOWN_VALUES} more values</summary><p>${others}</p></details>`,
    limits.length > 0 && `<p class="limits">${limits.join(', ')}</p>`,
    schema.default !== undefined && `<p class="limits">Default: ${code(JSON.stringify(schema.default))}</p>`,
  ]
    .filter(Boolean)
    .join('');
}
