import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { browser, webForm } from '../../../operation/media.ts';
import { WordFilter } from '../../../wire/schema.ts';
import { answerDemoPage, openDemoPage } from './open-demo-page.ts';

const path = '/link/demo/{provider}';
const common = {
  path,
  tag: 'link',
  auth: 'none' as const,
  params: Type.Object({ provider: WordFilter() }),
  query: Type.Object({
    token: Type.Optional(Type.String({ maxLength: 200, description: 'A link token.' })),
    page: Type.Optional(Type.String({ maxLength: 10, description: '1 where the hosted page leads here.' })),
    step: Type.Optional(Type.String({ maxLength: 10, description: 'code where the page asks for a code.' })),
  }),
  response: browser,
};

const field = (description: string) => Type.Optional(Type.String({ maxLength: 256, description }));

/** The operations for the pages of the providers that a sandbox simulates. */
export const demoOperations = [
  operation({
    ...common,
    id: 'get_demo_page',
    method: 'GET',
    summary: 'Show the page of a provider that the sandbox simulates',
    description: 'A user signs in or agrees there, as at a real provider. It connects invented data.',
    handle: (ctx, { params: { provider }, query: { token = '', page, step } }) =>
      openDemoPage(ctx, { provider, token, from_page: page === '1' }, step === 'code'),
  }),
  operation({
    ...common,
    id: 'answer_demo_page',
    method: 'POST',
    body: webForm(
      Type.Object({
        answer: field('allow or deny, where the page asks for consent.'),
        username: field('Any name.'),
        password: field('One of the made-up passwords.'),
        email: field('One of the made-up addresses.'),
        mfa_code: field('The made-up code.'),
      }),
    ),
    summary: 'Sign in or agree at the page of a provider that the sandbox simulates',
    description:
      "The page sends this form. The browser then goes to the link token's redirect_url, or to a page of ours.",
    handle: (ctx, { params: { provider }, query: { token = '', page }, body }) =>
      answerDemoPage(ctx, { provider, token, from_page: page === '1' }, body),
  }),
];
