// All pages of the reference, by their path below /docs/.
import { routesOf, type Document, type Route } from './document.ts';
import { frame, type Chapter } from './frame.ts';
import { FOLDERS, listGuides, renderGuide, type Guide } from './guides.ts';
import { code, escape } from './html.ts';
import { renderLine, renderText } from './markdown.ts';
import { eventPage, operationPage } from './operation-page.ts';
import type { Picture } from './pictures.ts';
import { schemaView } from './schema-view.ts';

type Page = { title: string; chapter: string; body: (root: string) => string };
export type Site = {
  document: Document;
  paths: ReadonlySet<string>;
  /** The pictures of the documents, by their path below /docs/. */
  pictures: ReadonlyMap<string, Picture>;
  /** Returns a page as HTML. `root` is the relative path from the page to /docs/. */
  render: (path: string, root: string) => string;
};

export function openSite(document: Document, assets: { style: string; script: string }): Site {
  const guides = listGuides();
  const routes = routesOf(document);
  const pages = new Map<string, Page>([
    ['', { title: 'API reference', chapter: '', body: (root) => startPage(document, routes, guides, root) }],
    ['introduction', { title: 'About the interface', chapter: 'introduction', body: () => introduction(document) }],
    ['events', { title: 'Events', chapter: 'events', body: (root) => eventList(document, root) }],
    ['schemas', { title: 'Schemas', chapter: 'schemas', body: (root) => schemaList(document, root) }],
    ...guides.map((guide): [string, Page] => [
      guide.path,
      { title: guide.title, chapter: chapterOf(guide.path), body: (root) => renderGuide(guide, guides, root) },
    ]),
    ...document.tags.map(({ name, 'x-displayName': title, description = '' }): [string, Page] => [
      `tags/${name}`,
      {
        title,
        chapter: `tags/${name}`,
        body: (root) =>
          `<h1>${escape(title)}</h1>${renderText(description)}${routeList(ofTag(routes, name), root)}` +
          (name === 'events' ? `<p><a href="${root}events">All events</a></p>` : ''),
      },
    ]),
    ...routes.map((route): [string, Page] => [
      `operations/${route.operation.operationId}`,
      {
        title: route.operation.summary,
        chapter: `tags/${route.operation.tags[0]}`,
        body: (root) => operationPage(route, { document, root }),
      },
    ]),
    ...Object.keys(document.webhooks).map((name): [string, Page] => [
      `events/${name}`,
      { title: name, chapter: 'events', body: (root) => eventPage(name, { document, root }) },
    ]),
    ...Object.entries(document.components.schemas).map(([name, schema]): [string, Page] => [
      `schemas/${name}`,
      {
        title: name,
        chapter: 'schemas',
        body: (root) =>
          `<h1>${escape(name)}</h1>${schema.description ? renderText(schema.description) : ''}` +
          schemaView(schema, { document, root }),
      },
    ]),
  ]);
  const listOf = chapters(document, routes, guides);
  return {
    document,
    paths: new Set(pages.keys()),
    pictures: new Map(guides.flatMap(({ pictures }) => pictures.map((picture) => [picture.path, picture]))),
    render: (path, root) => {
      const page = pages.get(path) as Page;
      const open = listOf.map((each) => (each.path === page.chapter ? each : { title: each.title, path: each.path }));
      return frame({ title: page.title, path, root, chapters: open, body: page.body(root), assets });
    },
  };
}

const chapterOf = (path: string): string => path.split('/')[0] as string;
const ofTag = (routes: Route[], tag: string): Route[] => routes.filter(({ operation }) => operation.tags[0] === tag);

function chapters(document: Document, routes: Route[], guides: Guide[]): Chapter[] {
  return [
    { title: 'Start', path: 'readme' },
    ...Object.entries(FOLDERS).map(([folder, title]) => ({
      title,
      path: folder,
      pages: guides.filter(({ path }) => path.startsWith(`${folder}/`)),
    })),
    { title: 'Words', path: 'glossary' },
    { title: 'About the interface', path: 'introduction' },
    ...document.tags
      .filter(({ name }) => name !== 'events')
      .map(({ name, 'x-displayName': title }) => ({
        title,
        path: `tags/${name}`,
        pages: ofTag(routes, name).map(({ operation }) => ({
          title: operation.summary,
          path: `operations/${operation.operationId}`,
        })),
      })),
    { title: 'Events', path: 'events' },
    { title: 'Schemas', path: 'schemas' },
  ];
}

function routeList(routes: Route[], root: string): string {
  const items = routes.map(
    ({ method, path, operation: { operationId, summary, deprecated } }) =>
      `<li><a href="${root}operations/${operationId}">${escape(summary)}</a> ` +
      `<span class="method ${method}">${method}</span> ${code(path)}` +
      `${deprecated ? ' <span class="flag">deprecated</span>' : ''}</li>`,
  );
  return `<ul class="routes">${items.join('\n')}</ul>`;
}

function startPage(document: Document, routes: Route[], guides: Guide[], root: string): string {
  const { title, version, description } = document.info;
  const lists = document.tags.map(({ name, 'x-displayName': shown, description: words = '' }) => {
    const own = ofTag(routes, name);
    if (own.length === 0) return '';
    const summary = `<summary>${escape(shown)} (${own.length})</summary>`;
    return `<details>${summary}<p>${renderLine(words)}</p>${routeList(own, root)}</details>`;
  });
  const list = (folder: string): string =>
    `<ul>${guides
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path, title }) => `<li><a href="${root}${path}">${escape(title)}</a></li>`)
      .join('\n')}</ul>`;
  return `<h1>${escape(title)} ${escape(version)}</h1>
${renderText((description.split('\n# ')[0] ?? '').trim())}
<p><a href="${root}readme">Start here</a>, read <a href="${root}introduction">about the interface</a>, or load the
<a href="${root}../openapi.json">OpenAPI document</a>.</p>
<h2 id="guides">Guides</h2>${list('guides')}
<h2 id="operate">Operate</h2>${list('operate')}
<h2 id="operations">Operations</h2>${lists.join('\n')}
<h2 id="events">Events</h2><p><a href="${root}events">${Object.keys(document.webhooks).length} events</a>, each with an
example of what an endpoint receives.</p>`;
}

const introduction = ({ info }: Document): string =>
  `<h1>About the interface</h1>${renderText(info.description.replaceAll(/^# /gm, '## '))}`;

function eventList({ webhooks, tags }: Document, root: string): string {
  const rows = Object.entries(webhooks).map(
    ([name, { post }]) =>
      `<tr><td><a href="${root}events/${name}">${code(name)}</a></td>` +
      `<td>${renderLine((post.description ?? '').split(' Sent by POST')[0] as string)}</td></tr>`,
  );
  const about = tags.find(({ name }) => name === 'events')?.description ?? '';
  const table = `<table><tbody>${rows.join('\n')}</tbody></table>`;
  return `<h1>Events</h1>${renderText(about)}<div class="wide" tabindex="0">${table}</div>`;
}

const schemaList = ({ components }: Document, root: string): string =>
  `<h1>Schemas</h1><ul>${Object.keys(components.schemas)
    .map((name) => `<li><a href="${root}schemas/${name}">${escape(name)}</a></li>`)
    .join('\n')}</ul>`;
