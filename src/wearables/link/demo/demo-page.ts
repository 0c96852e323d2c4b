// The page of a simulated provider. It has no script, and says that it is a simulation.
import type { LinkCtx } from '../../../context.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { escapeHtml, layout } from '../../../operation/html-page.ts';
import { PROVIDERS, type ProviderSlug } from '../../providers/provider-catalogue.ts';
import { redirectWith } from '../redirect-url.ts';
import { DEMO_INPUTS, MFA_CODE, MFA_REQUEST } from './demo-credentials.ts';
import type { ProviderFacts } from '../../providers/facts.ts';

type Asks = 'consent' | 'password' | 'email' | 'mfa';

const STYLE = `
form{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;margin:0 0 1.25rem}
label{display:block;font-weight:600;margin:.75rem 0 .25rem}
label:first-child{margin-top:0}
input{font:inherit;width:100%;min-height:2.75rem;padding:.625rem;border:1px solid var(--line);border-radius:.5rem;
background:var(--ground);color:var(--ink)}
button{font:inherit;font-weight:600;width:100%;min-height:2.75rem;margin:.75rem 0 0;border:0;border-radius:.5rem;
background:var(--go);color:var(--card);cursor:pointer}
button.deny{background:none;color:var(--go);border:1px solid var(--line)}
input:focus-visible,button:focus-visible{outline:3px solid var(--go);outline-offset:2px}
p.problem{color:var(--ink);font-weight:600}
table{border-collapse:collapse;font-size:.9rem;margin:0 0 1.25rem}
td{padding:.15rem .75rem .15rem 0;vertical-align:top}
td:first-child{white-space:nowrap}
summary{cursor:pointer;color:var(--go)}
`;

const TITLES: Readonly<Record<Asks, (name: string) => string>> = {
  consent: (name) => `Share your data of ${name}`,
  password: (name) => `Sign in to ${name}`,
  email: (name) => `Sign in to ${name}`,
  mfa: () => 'Enter your code',
};

type OpenedDemoPage = { ctx: LinkCtx; slug: ProviderSlug; token: string; from_page: boolean };

/** Returns the page. `problem` is the error in the last input, and `username` the name in that input. */
export function demoPage(
  { ctx, slug, token, from_page }: OpenedDemoPage,
  { asks, problem, username = '' }: { asks: Asks; problem: string | null; username?: string | undefined },
): BrowserResponse {
  const provider: ProviderFacts = PROVIDERS[slug];
  const name = escapeHtml(provider.name);
  const end = redirectWith(ctx, 'success');
  const parts = [
    `<p>This sandbox simulates ${name}: nothing is sent there, and the data that comes is invented.</p>`,
    problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`,
    `<form method="post">\n${FORMS[asks](provider, escapeHtml(username))}\n</form>`,
    asks === 'password' || asks === 'email' ? renderDemoInputs(asks) : '',
    // Addresses are relative to the page. So they also work behind a proxy that adds a path.
    asks === 'mfa' ? link(`${slug}?token=${token}${from_page ? '&amp;page=1' : ''}`, 'Sign in again') : '',
    from_page ? link(`../../link?token=${token}`, 'Choose another') : '',
  ];
  return {
    ...layout(TITLES[asks](provider.name), parts.filter((part) => part !== '').join('\n'), STYLE),
    hasForm: true,
    // A browser lets a form redirect only to origins that the page's Content-Security-Policy names.
    formLeadsTo: end === null ? [] : [new URL(end).origin],
  };
}

const link = (href: string, text: string): string =>
  `<p><a class="close" href="${href}" rel="nofollow">${text}</a></p>`;

/** The forms of the page. `username` is escaped HTML. */
const FORMS: Readonly<Record<Asks, (provider: ProviderFacts, username: string) => string>> = {
  consent: ({ resources }) => `${shared(resources)}
<button type="submit" name="answer" value="allow">Allow</button>
<button type="submit" name="answer" value="deny" class="deny">Do not allow</button>`,
  password: (_provider, username) => `<label for="username">User name or email</label>
<input id="username" name="username" value="${username}" maxlength="256" autocomplete="off" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="256" autocomplete="off" required>
<button type="submit">Sign in</button>`,
  email: () => `<label for="email">Email</label>
<input id="email" name="email" type="email" maxlength="256" autocomplete="off" required>
<button type="submit">Connect</button>`,
  mfa: () => `<p>A code was sent to ${escapeHtml(MFA_REQUEST.hint)}. Here it is ${MFA_CODE}.</p>
<label for="mfa_code">Code</label>
<input id="mfa_code" name="mfa_code" inputmode="numeric" maxlength="32" autocomplete="one-time-code" required>
<button type="submit">Go on</button>`,
};

const MAX_NAMED = 8;

/** Returns a list of the first resources by name. The user can open the rest. */
function shared(resources: readonly string[]): string {
  const names = resources.map((resource) => escapeHtml(resource.replaceAll('_', ' ')));
  const [first, others] = [names.slice(0, MAX_NAMED), names.slice(MAX_NAMED)];
  const more =
    others.length === 0 ? '' : `<details><summary>and ${others.length} more</summary>${others.join(', ')}</details>`;
  return `<p>It would share: ${first.join(', ')}${more === '' ? '.' : ''}</p>\n${more}`;
}

function renderDemoInputs(asks: 'password' | 'email'): string {
  const rows = DEMO_INPUTS[asks].map(([given, what]) => `<tr><td><code>${given}</code></td><td>${what}</td></tr>`);
  return `<p>What you can type here:</p>\n<table>${rows.join('')}</table>`;
}
