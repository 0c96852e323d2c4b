import { Type } from 'typebox';
import { shape } from '../../wire/shape.ts';
import { Email } from '../../wire/person.ts';

export const SignInLinkInput = shape('SignInLinkInput', { email: Email });

export const SignInWays = shape('SignInWays', {
  link_by_mail: Type.Boolean({
    description: 'Whether links are mailed. Without a mail server they stay in the outbox, and nobody gets them.',
  }),
});
