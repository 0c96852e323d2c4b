import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { browser } from '../../../operation/media.ts';
import { readOutcome } from '../link-outcome.ts';
import { linkPage } from './link-page.ts';
import { donePage } from './outcome-page.ts';

const tag = 'link';
const auth = 'none';

export const pageOperations = [
  operation({
    id: 'get_link_page',
    method: 'GET',
    path: '/link',
    tag,
    auth,
    query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 200, description: 'A link token.' })) }),
    response: browser,
    summary: 'Show the page on which a user picks a provider',
    description: 'The link_web_url of a link token. It needs no script.',
    handle: (ctx, { query: { token = '' } }) => linkPage(ctx, token),
  }),
  operation({
    id: 'get_link_outcome',
    method: 'GET',
    path: '/link/done',
    tag,
    auth,
    query: Type.Object({
      state: Type.Optional(Type.String({ maxLength: 20, description: 'success or error.' })),
      error_type: Type.Optional(Type.String({ maxLength: 100, description: 'What went wrong.' })),
      token: Type.Optional(
        Type.String({ maxLength: 200, description: 'The link token that the user may continue with.' }),
      ),
    }),
    response: browser,
    summary: 'Show the outcome of a connection',
    description:
      'The last page of a browser whose link token has no redirect_url, or that shows errors itself. ' +
      'It leads back to the choice while the link works.',
    handle: (ctx, { query: { state, error_type, token = '' } }) => donePage(ctx, readOutcome(state, error_type), token),
  }),
];
