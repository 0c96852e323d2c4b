import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { browser } from '../../operation/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { createPortalUrl } from './create-url.ts';
import { openPortal } from './open-portal.ts';
import { PortalUrl, PortalUrlInput } from './schemas.ts';

const auth = 'signature';
const params = Type.Object({
  token: Type.String({ maxLength: 200, description: 'The signed part of the link.' }),
});

export const portalOperations = [
  operation({
    id: 'create_portal_url',
    method: 'POST',
    path: '/v2/user/{user_id}/create_portal_url',
    tag: 'users',
    area: 'results',
    params: Type.Object({ user_id: Uuid }),
    body: PortalUrlInput,
    response: PortalUrl,
    secretResponse: true,
    summary: 'Create a link to a page on which a user follows their tests',
    description:
      'The page shows the state of an order, the next step, when and where its appointment is, and how the sample ' +
      'is collected. Opened by launch, it also links to the final results and, for a service center, the ' +
      'requisition. The page only shows: your own app registers kits, and books, moves and cancels appointments. ' +
      'Anyone who has the link can open it any number of times until it expires: after an hour by launch, and ' +
      'after three days by communications. Each use is in the audit log. The link stops working when the user is ' +
      'scheduled for deletion or erased, and when the team switches its patient_experience off.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'patient_experience_off'],
    handle: (ctx, { params: { user_id }, body }) => createPortalUrl(ctx, user_id, body),
  }),
  operation({
    id: 'open_portal',
    method: 'GET',
    path: '/documents/portal/{token}',
    tag: 'documents',
    auth,
    params,
    response: browser,
    summary: 'Show a user the state of their tests',
    description:
      'The url of create_portal_url for launch. It needs no script. A refused link shows a page that says so.',
    handle: (ctx) => openPortal(ctx, 'launch'),
  }),
  operation({
    id: 'open_portal_message',
    method: 'GET',
    path: '/documents/portal-message/{token}',
    tag: 'documents',
    auth,
    params,
    response: browser,
    summary: "Show the state of a user's tests from a link in a message",
    description:
      'The url of create_portal_url for communications. It names no test and shows no results. It needs no script. ' +
      'A refused link shows a page that says so.',
    handle: (ctx) => openPortal(ctx, 'communications'),
  }),
];
