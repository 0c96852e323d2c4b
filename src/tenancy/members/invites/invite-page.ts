import type { OrgSignedCtx } from '../../../context.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { escapeHtml, layout } from '../../../operation/html-page.ts';
import type { OpenInvite } from './find-open.ts';
import { ownProperty } from '../../../wire/own-property.ts';

const STYLE = `
form{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
input{font:inherit;width:100%;padding:.625rem;border:1px solid var(--line);border-radius:.5rem;
background:var(--ground);color:var(--ink)}
button{font:inherit;font-weight:600;width:100%;min-height:2.75rem;margin:.75rem 0 0;border:0;border-radius:.5rem;
background:var(--go);color:var(--card);cursor:pointer}
input:focus-visible,button:focus-visible{outline:3px solid var(--go);outline-offset:2px}
p.problem{color:var(--ink);font-weight:600}
li{overflow-wrap:anywhere}
`;

/** Returns the name of the organisation, or `words` if the name is empty. */
const calledOr = ({ name }: OrgSignedCtx['org'], words: string): string => name || words;

/**
 * Returns the page on which the invited person accepts. `problem` describes what is wrong with the name that was
 * entered, or is null.
 */
export function invitePage(
  { org }: OrgSignedCtx,
  { email, role, teams }: OpenInvite,
  { problem }: { problem: string | null },
): BrowserResponse {
  const body = [
    `<p>${escapeHtml(calledOr(org, 'An organisation'))} invites ${escapeHtml(email)} to its organisation.</p>`,
    `<p>${escapeHtml(ownProperty(WORDS, role) ?? '')}</p>`,
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
  no_role: 'You will be a member without any rights yet.',
};

/** Returns the page after the person has accepted. */
export const acceptedPage = ({ org }: OrgSignedCtx): BrowserResponse =>
  layout(
    `You belong to ${calledOr(org, 'the organisation')} now`,
    '<p>There is nothing else to do. You can close this page.</p>',
  );

/** Returns the page for a member who opens the link again. */
export const memberPage = ({ org }: OrgSignedCtx): BrowserResponse =>
  layout(
    `You belong to ${calledOr(org, 'the organisation')} already`,
    '<p>You can <a href="/dashboard">open the dashboard</a>, or close this page.</p>',
  );
