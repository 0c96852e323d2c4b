import { Marked, type Tokens } from 'marked';
import { anchorOf, block, escape } from './html.ts';

/** @param hrefOf the target of a link, or null if the reader cannot follow it: then only its text is shown */
type Links = { hrefOf: (target: string) => string | null };

/** Returns Markdown as HTML. Headings have the anchors of GitHub. */
export function renderMarkdown(text: string, { hrefOf }: Links): string {
  return markedWith(hrefOf).parse(text, { async: false });
}

/** Returns a text of the OpenAPI document, which has no links, as HTML. */
export const renderText = (text: string): string => plain.parse(text, { async: false });
export const renderLine = (text: string): string => plain.parseInline(text, { async: false });

function markedWith(hrefOf: Links['hrefOf']): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const anchor = anchorOf(text);
        return `<h${depth} id="${escape(anchor)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text, lang }: Tokens.Code) => `${block(text, lang ?? '')}\n`,
      link({ href, tokens }: Tokens.Link) {
        const target = hrefOf(href);
        const inner = this.parser.parseInline(tokens);
        return target === null ? inner : `<a href="${escape(target)}">${inner}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const target = hrefOf(href);
        return target === null ? '' : `<img src="${escape(target)}" alt="${escape(text)}">`;
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const head = token.header.some(({ text }) => text !== '') ? `<thead>${row(token.header, 'th')}</thead>` : '';
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="wide" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
}

const plain = markedWith((target) => (/^https?:/.test(target) ? target : null));

/** Returns the sections of a document: its headings with the text below each. */
export function sectionsOf(text: string): { heading: string; body: string }[] {
  const sections: { heading: string; body: string }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? null : /^#+ (.*)$/.exec(line)?.[1];
    if (heading) sections.push({ heading, body: '' });
    else if (sections.length > 0) (sections.at(-1) as { body: string }).body += `${line}\n`;
  }
  return sections;
}
