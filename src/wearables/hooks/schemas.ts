import { Type } from 'typebox';

const Parameter = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));

/** What a provider asks with when it is subscribed to. */
export const Challenge = Type.Object({
  'hub.challenge': Parameter('What Strava wants to have back.'),
  'hub.verify_token': Parameter('What the subscription was asked for with, at Strava.'),
  challenge: Parameter('What Oura wants to have back.'),
  verification_token: Parameter('What the subscription was asked for with, at Oura.'),
});
/** What it wants to have back. */
export const Confirmation = Type.Object({
  'hub.challenge': Type.Optional(Type.String({ description: 'What Strava has sent.' })),
  challenge: Type.Optional(Type.String({ description: 'What Oura has sent.' })),
});
export const Received = Type.Object({ received: Type.Boolean({ description: 'Always true.' }) });
