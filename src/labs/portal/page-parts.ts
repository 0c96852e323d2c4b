import type { SignedCtx } from '../../context.ts';
import { obtainedBy, signToken } from '../../privacy/signed-link.ts';
import { escapeHtml } from '../../operation/html-page.ts';
import type { Sender } from '../documents/facts.ts';

/** The styles of the page parts in this file. */
export const STYLE = `
p.from{margin:0 0 1.5rem}
section,a.order,details{display:block;background:var(--card);border:1px solid var(--line);border-radius:.75rem;
padding:1rem;margin:0 0 .75rem}
section h2,summary{font-size:1rem;margin:0;color:var(--ink);font-weight:600}
section h2{margin:0 0 .25rem}
section p,details p{margin:0 0 .5rem;overflow-wrap:anywhere}
section p:last-child{margin:0}
summary{cursor:pointer;min-height:2.75rem;display:flex;align-items:center;margin:-.5rem 0}
details[open] summary{margin-bottom:.25rem}
summary::before{content:"+";width:1.5rem;color:var(--go);font-weight:700}
details[open] summary::before{content:"\\2212"}
summary:focus-visible{outline:3px solid var(--go);outline-offset:2px}
details h3{font-size:1rem;margin:1rem 0 .25rem}
details ul,details ol{list-style:disc;display:block;padding-left:1.25rem;margin:0;color:var(--soft)}
details ol{list-style:decimal}
details li{margin:0 0 .5rem}
a.order{color:inherit;text-decoration:none;min-height:2.75rem}
a.order:hover{border-color:var(--go)}
a.order strong,a.order span{display:block;overflow-wrap:anywhere}
a.order span{color:var(--soft)}
a.order strong::after{content:" \\203A";color:var(--go)}
a.button{display:block;text-align:center;background:var(--go);color:var(--card);border-radius:.5rem;
padding:.75rem;margin:.75rem 0 0;text-decoration:none;font-weight:600}
a.plain{color:var(--go);display:inline-block;padding:.625rem 0;overflow-wrap:anywhere}
p.small{font-size:.9rem;margin:1.5rem 0 0}
`;

export const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

/** Returns a section with a title. `inside` must be HTML. */
export const card = (title: string, ...inside: string[]): string =>
  `<section><h2>${escapeHtml(title)}</h2>\n${inside.filter((part) => part !== '').join('\n')}</section>`;

/**
 * Returns a link to another page or document, which expires together with this page. The URL is relative to the page,
 * so it also works behind a proxy that adds a path.
 */
export const documentUrl = (ctx: SignedCtx, kind: string, id: string): string =>
  `../${kind}/${signToken(ctx.cipher, kind, {
    team_id: ctx.team.id,
    id,
    expires: ctx.signedUntil,
    ...obtainedBy(ctx),
  })}`;

/**
 * Returns a link. Our URL contains a secret token, and a browser would send the URL to the target page as the referrer.
 * `noreferrer` prevents that.
 */
export const link = (href: string, text: string, look: 'button' | 'plain'): string =>
  `<a class="${look}" href="${escapeHtml(href)}" rel="noreferrer nofollow">${escapeHtml(text)}</a>`;

/** Returns the contacts for questions as HTML. A mail address, a web page or a phone number becomes a link. */
export function questions({ name, contacts }: Sender): string {
  if (contacts.length === 0) return '';
  return card(`Questions? Ask ${name}`, ...contacts.map((contact) => `<div>${contactLink(contact)}</div>`));
}

function contactLink(contact: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) {
    return link(`mailto:${encodeURIComponent(contact).replace('%40', '@')}`, contact, 'plain');
  }
  if (/^https?:\/\/\S+$/i.test(contact)) return link(contact, contact, 'plain');
  if (/^\+?[\d\s().-]{7,20}$/.test(contact)) return link(`tel:${contact.replaceAll(/[^\d+]/g, '')}`, contact, 'plain');
  return escapeHtml(contact);
}

/** Returns a sentence that states when the page expires. */
export const expiry = (until: number, now: number): string => {
  const minutes = Math.max(1, Math.floor((until - now / 1000) / 60));
  const hours = Math.floor(minutes / 60);
  const time = hours >= 2 ? `${hours} hours` : minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `<p class="small">You can open this page for ${time} more. Anyone who has its address can read it.</p>`;
};
