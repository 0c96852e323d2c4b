import { Type } from 'typebox';
import { oneOf, optional, Uuid } from '../../wire/schema.ts';

const CONTEXTS = ['launch', 'communications'] as const;
/** Where a link is opened: from the team's own app, whose user has signed in there, or from a message. */
export type PortalContext = (typeof CONTEXTS)[number];

export const PortalUrlInput = Type.Object({
  context: oneOf(CONTEXTS, {
    description:
      'launch: opened at once by a user who has signed in to your app. communications: sent in a message, where others ' +
      'may read it: the page names no test and shows no results.',
  }),
  order_id: optional({ ...Uuid, description: 'The order to show; left out, the newest orders of the user.' }),
});

export const PortalUrl = Type.Object({
  url: Type.String({ description: 'Where the page is.' }),
  expires_in: Type.Integer({ description: 'Seconds for which the page opens.' }),
});
