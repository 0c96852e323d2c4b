import { limitsOf, schemaView, typeOf } from './schema-view.ts';
import { resolve, type Document, type Parameter, type Route, type Response } from './document.ts';
import { ownProperty } from '../wire/own-property.ts';
import { block, code, escape, json } from './html.ts';
import { renderLine, renderText } from './markdown.ts';
import { clientOf, curlOf, parametersOf } from './snippets.ts';

const WAYS: Readonly<Record<string, string>> = {
  team_key: 'a team API key',
  management_key: 'a management key',
  access_token: 'an access token',
  session: 'a session of the dashboard',
  user_token: "a user's own token",
  link_token: 'a link token',
};

type Within = { document: Document; root: string };

/** Returns everything that the document says of an operation. */
export function operationPage(route: Route, within: Within): string {
  const { operation, method, path } = route;
  const client = clientOf(route, within.document);
  return [
    `<h1>${escape(operation.summary)}</h1>`,
    `<p class="route"><span class="method ${method}">${method}</span> ${code(path)}</p>`,
    operation.deprecated && '<p class="flag">Deprecated</p>',
    operation.description && renderText(operation.description),
    needs(route, within.document),
    '<h2 id="request">Request</h2>',
    parameters(route, within),
    requestBody(route, within),
    `<h3 id="curl">curl</h3>${block(curlOf(route, within.document), 'sh')}`,
    client && `<h3 id="client">Client for TypeScript</h3>${block(client, 'ts')}`,
    '<h2 id="response">Response</h2>',
    ...answers(route, within),
    refusals(route, within),
  ]
    .filter(Boolean)
    .join('\n');
}

function needs({ operation }: Route, { components }: Document): string {
  const ways = (operation.security ?? []).flatMap((each) => Object.entries(each));
  if (ways.length === 0) return '<p class="needs">Needs no key.</p>';
  const words = ways.map(([scheme, scopes]) => {
    const named = ownProperty(WAYS, scheme) ?? components.securitySchemes[scheme]?.description ?? scheme;
    return `${escape(named)}${scopes.length > 0 ? ` with the scope ${scopes.map(code).join(', ')}` : ''}`;
  });
  return `<p class="needs">Needs ${words.join(', or ')}.</p>`;
}

function parameters(route: Route, { document }: Within): string {
  const all = parametersOf(route, document);
  if (all.length === 0) return '';
  const item = ({ name, in: location, required, deprecated, description, schema, example }: Parameter): string =>
    [
      `<li><p>${code(name)} <span class="type">${location}, ${typeOf(schema)}</span>`,
      required && ' <span class="flag">required</span>',
      deprecated && ' <span class="flag">deprecated</span>',
      '</p>',
      description && `<p>${renderLine(description)}</p>`,
      limitsOf(schema, document),
      example !== undefined && `<p class="limits">Example: ${code([example].flat().join(', '))}</p>`,
      '</li>',
    ]
      .filter(Boolean)
      .join('');
  return `<h3 id="parameters">Parameters</h3><ul class="fields">${all.map(item).join('\n')}</ul>`;
}

function requestBody({ operation }: Route, within: Within): string {
  const kinds = Object.entries(operation.requestBody?.content ?? {});
  if (kinds.length === 0) return '';
  const shown = kinds.map(([type, { schema }]) => `<p class="type">${escape(type)}</p>${schemaView(schema, within)}`);
  return `<h3 id="body">Body</h3>${shown.join('\n')}`;
}

const isSuccess = (status: string): boolean => /^[23]/.test(status);

function answers({ operation }: Route, within: Within): string[] {
  return Object.entries(operation.responses)
    .filter(([status]) => isSuccess(status))
    .map(([status, of]) => {
      const { description, content = {}, headers = {} } = resolve<Response>(within.document, of);
      const bodies = Object.entries(content).map(
        ([type, { schema, example }]) =>
          `<p class="type">${escape(type)}</p>` +
          (example === undefined ? '' : json(example)) +
          `<details><summary>Fields</summary>${schemaView(schema, within)}</details>`,
      );
      const names = Object.entries(headers).map(
        ([name, header]) =>
          `<li><p>${code(name)}</p><p>${renderLine(resolve(within.document, header as never as { description: string }).description)}</p></li>`,
      );
      const listed =
        names.length > 0
          ? `<details><summary>Headers</summary><ul class="fields">${names.join('')}</ul></details>`
          : '';
      return `<h3 id="status-${status}">${status}</h3><p>${escape(description)}</p>${bodies.join('\n')}${listed}`;
    });
}

/** Returns a row for each status that refuses, with its codes. Each code leads to what a program does about it. */
function refusals({ operation }: Route, { document, root }: Within): string {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => !isSuccess(status))
    .map(([status, of]) => {
      const [words = '', codes = ''] = resolve<Response>(document, of).description.split(/ code: /);
      const named = codes
        .replace(/\.$/, '')
        .split(', ')
        .filter((each) => /^\w+$/.test(each))
        .map((each) => `<a href="${root}guides/errors-by-code#${each}">${code(each)}</a>`);
      return `<tr><td>${status}</td><td>${named.join(', ')}</td><td>${escape(words)}</td></tr>`;
    });
  return (
    '<h3 id="refusals">Refusals</h3><div class="wide" tabindex="0"><table>' +
    `<thead><tr><th>Status</th><th>Code</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
  );
}

/** Returns an event: when it is published, what an endpoint receives, and its headers. */
export function eventPage(name: string, within: Within): string {
  const { description, parameters: headers = [], requestBody } = within.document.webhooks[name]?.post ?? {};
  const { schema, example } = requestBody?.content['application/json'] ?? { schema: {} };
  const names = headers.map((each) => {
    const parameter = resolve<Parameter>(within.document, each);
    return `<li><p>${code(parameter.name)}</p><p>${renderLine(parameter.description ?? '')}</p></li>`;
  });
  return [
    `<h1>${escape(name)}</h1>`,
    renderText(description ?? ''),
    '<h2 id="body">Body</h2>',
    example === undefined ? '' : json(example),
    schemaView(schema, within),
    `<h2 id="headers">Headers</h2><ul class="fields">${names.join('')}</ul>`,
  ].join('\n');
}
