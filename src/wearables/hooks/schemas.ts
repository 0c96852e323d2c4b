import { Type } from 'typebox';
import { shape } from '../../wire/shape.ts';

const Parameter = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));

/** The query parameters with which a provider confirms a subscription. */
export const Challenge = Type.Object({
  'hub.challenge': Parameter('The value that Strava wants back.'),
  'hub.verify_token': Parameter('The token that the subscription at Strava was made with.'),
  challenge: Parameter('The value that Oura wants back.'),
  verification_token: Parameter('The token that the subscription at Oura was made with.'),
});
/** The response that confirms a subscription. */
export const Confirmation = shape('Confirmation', {
  'hub.challenge': Type.Optional(Type.String({ description: 'The value that Strava has sent.' })),
  challenge: Type.Optional(Type.String({ description: 'The value that Oura has sent.' })),
});
export const Received = shape('Received', { received: Type.Boolean({ description: 'Always true.' }) });
