// The page of a provider that a sandbox plays. It needs no script, and says what it is.
import type { LinkCtx } from '../../../context.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { escapeHtml, layout } from '../../../http/page.ts';
import { PROVIDERS, type Provider, type ProviderSlug } from '../../providers.ts';
import { redirectWith } from '../redirect-url.ts';
import { HINTS, MFA_CODE, MFA_REQUEST } from './credentials.ts';

type Asks = 'consent' | 'password' | 'email' | 'mfa';

const STYLE = `
form{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;margin:0 0 1.25rem}
label{display:block;font-weight:600;margin:.75rem 0 .25rem}
label:first-child{margin-top:0}
input{font:inherit;width:100%;min-height:2.75rem;padding:.625rem;border:1px solid var(--line);border-radius:.5rem;background:var(--ground);color:var(--ink)}
button{font:inherit;font-weight:600;width:100%;min-height:2.75rem;margin:.75rem 0 0;border:0;border-radius:.5rem;background:var(--go);color:var(--card);cursor:pointer}
button.deny{background:none;color:var(--go);border:1px solid var(--line)}
input:focus-visible,button:focus-visible{outline:3px solid var(--go);outline-offset:2px}
p.problem{color:var(--ink);font-weight:600}
table{border-collapse:collapse;font-size:.9rem;margin:0 0 1.25rem}
td{padding:.15rem .75rem .15rem 0;vertical-align:top;overflow-wrap:anywhere}
`;

const TITLES: Readonly<Record<Asks, (name: string) => string>> = {
  consent: (name) => `Share your data of ${name}`,
  password: (name) => `Sign in to ${name}`,
  email: (name) => `Sign in to ${name}`,
  mfa: () => 'Enter your code',
};

/** `problem` is what was wrong with what was sent before. */
export function demoPage(
  { ctx, slug }: { ctx: LinkCtx; slug: ProviderSlug },
  { asks, problem }: { asks: Asks; problem: string | null },
): BrowserAnswer {
  const provider: Provider = PROVIDERS[slug];
  const name = escapeHtml(provider.name);
  // Browsers hold a form to where its answer leads.
  const end = redirectWith(ctx, 'success');
  const parts = [
    `<p>This sandbox plays ${name}: nothing is sent there, and the data that comes is invented.</p>`,
    problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`,
    `<form method="post">\n${FORMS[asks](provider)}\n</form>`,
    asks === 'password' || asks === 'email' ? hints(asks) : '',
  ];
  return {
    ...layout(TITLES[asks](provider.name), parts.filter((part) => part !== '').join('\n'), STYLE),
    hasForm: true,
    // Browsers hold a form to where its answer leads.
    formLeadsTo: end === null ? [] : [new URL(end).origin],
  };
}

const FORMS: Readonly<Record<Asks, (provider: Provider) => string>> = {
  consent: ({ resources }) => `<p>It would share: ${escapeHtml(summed(resources))}.</p>
<button type="submit" name="answer" value="allow">Allow</button>
<button type="submit" name="answer" value="deny" class="deny">Do not allow</button>`,
  password: () => `<label for="username">User name or email</label>
<input id="username" name="username" maxlength="256" autocomplete="off" required>
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

const MOST_NAMED = 8;

/** The first of them by name, and how many more. */
function summed(resources: readonly string[]): string {
  const named = resources.slice(0, MOST_NAMED).map((resource) => resource.replaceAll('_', ' '));
  const more = resources.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const hints = (asks: 'password' | 'email'): string => `<p>What you can type here:</p>
<table>${HINTS[asks].map(([given, what]) => `<tr><td><code>${given}</code></td><td>${what}</td></tr>`).join('')}</table>`;
