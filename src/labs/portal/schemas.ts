import { Type } from 'typebox';
import { oneOf, optional, Uuid } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';

const CONTEXTS = ['launch', 'communications'] as const;
/** The context in which a user opens a link: the team's own app, where the user has signed in, or a message. */
export type PortalContext = (typeof CONTEXTS)[number];

export const PortalUrlInput = shape('PortalUrlInput', {
  context: oneOf(CONTEXTS, {
    description:
      'launch: a user who has signed in to your app opens it at once. communications: you send it in a message ' +
      'that others may read, so the page names no test and shows no results.',
  }),
  order_id: optional({ ...Uuid, description: 'The order to show; default: the newest orders of the user.' }),
});

export const PortalUrl = shape('PortalUrl', {
  url: Type.String({ description: 'The address of the page.' }),
  expires_in: Type.Integer({ description: 'Seconds until the link expires.' }),
});
