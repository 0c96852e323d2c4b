import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { browser } from '../../http/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { createPortalUrl } from './create-url.ts';
import { openPortal } from './open.ts';
import { PortalUrl, PortalUrlInput } from './schemas.ts';

const auth = 'signature';
const params = Type.Object({
  token: Type.String({ maxLength: 200, description: 'The signed part of the link.' }),
});

export const portalEndpoints = [
  endpoint({
    id: 'create_portal_url',
    method: 'POST',
    path: '/v2/user/{user_id}/create_portal_url',
    tag: 'users',
    area: 'results',
    params: Type.Object({ user_id: Uuid }),
    body: PortalUrlInput,
    response: PortalUrl,
    secretAnswer: true,
    summary: 'Make a link to a page on which a user follows their tests',
    description:
      'The page tells where an order stands, what to do next, when and where its appointment is, and how the sample is ' +
      'collected; opened by launch also the final results and, for a service center, the requisition. It only shows: kits ' +
      'are registered, and appointments booked, moved and cancelled, by your own app. Whoever has the link can open it ' +
      'until it expires, any number of times, after an hour by launch and three days by communications. Each use is in ' +
      'the audit log. A user that is scheduled for deletion, or erased, closes it, and so does the team that switches its ' +
      'patient_experience off.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'patient_experience_off'],
    handle: (ctx, { params: { user_id }, body }) => createPortalUrl(ctx, user_id, body),
  }),
  endpoint({
    id: 'open_portal',
    method: 'GET',
    path: '/documents/portal/{token}',
    tag: 'documents',
    auth,
    params,
    response: browser,
    summary: 'Show a user where their tests stand',
    description:
      'The url of create_portal_url for launch. It needs no script. A link that does not open is told by a page.',
    handle: (ctx) => openPortal(ctx, 'launch'),
  }),
  endpoint({
    id: 'open_portal_message',
    method: 'GET',
    path: '/documents/portal-message/{token}',
    tag: 'documents',
    auth,
    params,
    response: browser,
    summary: 'Show whoever has a message where the tests of a user stand',
    description:
      'The url of create_portal_url for communications. It names no test and shows no results. It needs no script. A link ' +
      'that does not open is told by a page.',
    handle: (ctx) => openPortal(ctx, 'communications'),
  }),
];
