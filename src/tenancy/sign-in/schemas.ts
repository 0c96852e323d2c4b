import { Type } from 'typebox';
import { nullable } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';
import { Email } from '../../wire/person.ts';

export const SignInLinkInput = shape('SignInLinkInput', { email: Email });

export const SignInWays = shape('SignInWays', {
  link_by_mail: Type.Boolean({
    description: 'Whether links are mailed. Without a mail server they stay in the outbox, and nobody gets them.',
  }),
  openid: nullable(
    Type.Object(
      {
        name: Type.String({ description: 'The name of the accounts, for a button.' }),
        path: Type.String({ description: 'Where a browser begins.' }),
      },
      { description: 'The issuer of OpenID Connect. Null: none is configured.' },
    ),
  ),
});
