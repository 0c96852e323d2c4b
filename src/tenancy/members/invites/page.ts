import type { OrgSignedCtx } from '../../../context.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { escapeHtml, layout } from '../../../http/page.ts';
import type { OpenInvite } from './find-open.ts';
import { ownOf } from '../../../wire/own.ts';

const STYLE = `
form{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
input{font:inherit;width:100%;padding:.625rem;border:1px solid var(--line);border-radius:.5rem;background:var(--ground);color:var(--ink)}
button{font:inherit;font-weight:600;width:100%;min-height:2.75rem;margin:.75rem 0 0;border:0;border-radius:.5rem;background:var(--go);color:var(--card);cursor:pointer}
input:focus-visible,button:focus-visible{outline:3px solid var(--go);outline-offset:2px}
p.problem{color:var(--ink);font-weight:600}
li{overflow-wrap:anywhere}
`;

/** An organisation may have an empty name. */
const calledOr = ({ name }: OrgSignedCtx['org'], words: string): string => name || words;

/** What the invited person reads; `problem` is what was wrong with what they sent. */
export function invitePage(
  { org }: OrgSignedCtx,
  { email, role, teams }: OpenInvite,
  { problem }: { problem: string | null },
): BrowserAnswer {
  const body = [
    `<p>${escapeHtml(calledOr(org, 'An organisation'))} invites ${escapeHtml(email)} to its organisation.</p>`,
    `<p>${escapeHtml(ownOf(WORDS, role) ?? '')}</p>`,
    role === 'team_admin' ? `<ul>${teams.map((name) => `<li>${escapeHtml(name)}</li>`).join('')}</ul>` : '',
    problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`,
    '<form method="post">',
    '<label for="name">Your name</label>',
    '<input id="name" name="name" maxlength="100" autocomplete="name" required>',
    '<button type="submit">Accept</button>',
    '</form>',
  ];
  return {
    ...layout(`Join ${calledOr(org, 'an organisation')}`, body.filter((part) => part !== '').join('\n'), STYLE),
    hasForm: true,
  };
}

const WORDS: Record<string, string> = {
  org_admin: 'You will manage the organisation with all of its teams.',
  team_admin: 'You will manage these teams:',
  no_role: 'You will belong to it and manage nothing yet.',
};

/** After that. */
export const acceptedPage = ({ org }: OrgSignedCtx): BrowserAnswer =>
  layout(
    `You belong to ${calledOr(org, 'the organisation')} now`,
    '<p>Nothing else is to do here. You can close this page.</p>',
  );

/** Whoever opens the link again. */
export const memberPage = ({ org }: OrgSignedCtx): BrowserAnswer =>
  layout(
    `You belong to ${calledOr(org, 'the organisation')} already`,
    '<p>Nothing else is to do here. You can close this page.</p>',
  );
