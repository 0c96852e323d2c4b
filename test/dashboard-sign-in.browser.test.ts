import { afterAll, expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { startMailServer } from './fake-mail-server.ts';
import { startIssuer } from './openid-issuer.ts';
import { inviteUrl } from '../src/tenancy/members/invites/mail.ts';
import { invite, makeMember } from './people-of-orgs.ts';

const mail = await startMailServer();
const issuer = await startIssuer();
afterAll(async () => {
  await mail.close();
  await issuer.close();
});

const SIGNED_OUT = { team: null, expected: /status of 40[13]|^request to 127\.0\.0\.1/ };
const FORM = { name: 'Send the link' };

await describeDashboard(
  'the page for signing in',
  (dashboard) => {
    /** The path of the newest link that was mailed. */
    const newestLink = async (): Promise<string> => {
      await dashboard.app.runJobs();
      const [link = ''] = /http\S+\/(sign-in|documents)\/\S+/.exec(mail.letters.at(-1)?.text ?? '') ?? [];
      return new URL(link).pathname;
    };

    test('takes the address, and says to look into the mail', async () => {
      await dashboard.onEachScreen(
        'sign-in',
        '/',
        async (page) => {
          await page.getByRole('heading', { level: 1, name: 'Sign in to Phial' }).waitFor();
          await page.getByLabel('Email address').waitFor();
        },
        SIGNED_OUT,
      );
      let number = 0;
      await dashboard.onEachScreen(
        'sign-in-sent',
        '/sign-in',
        async (page) => {
          number += 1;
          await page.getByLabel('Email address').fill(`nobody-${number}@example.com`);
          await page.getByRole('button', FORM).click();
          await page.getByText('Look into your mail').waitFor();
        },
        SIGNED_OUT,
      );
    });

    test('leads by the mailed link to the page that was asked for, and says when the link was used', async () => {
      const member = await makeMember(dashboard.app, dashboard.team, { name: 'Grace', email: 'grace@example.com' });
      const page = await dashboard.open('/orders', SIGNED_OUT);
      await page.getByLabel('Email address').fill(member.email);
      await page.getByRole('button', FORM).click();
      await page.getByText('Look into your mail').waitFor();
      const link = dashboard.app.baseUrl + (await newestLink());
      const other = await page.context().newPage();
      await other.goto(link);
      await other.getByText('as Grace').waitFor();
      await other.getByRole('button', { name: 'Sign in' }).click();
      await other.getByRole('heading', { name: 'Orders' }).waitFor();
      await page.context().clearCookies();
      await page.goto(link);
      await page.getByRole('link', { name: 'Ask for a new link' }).click();
      await page.getByText('That link was used already or has ended').waitFor();
      await dashboard.onEachScreen(
        'sign-in-link-ended',
        '/sign-in?problem=link_ended',
        (each) => each.getByText('That link was used already or has ended').waitFor(),
        SIGNED_OUT,
      );
    });

    test('leads by an account of OpenID Connect to the dashboard, and says why it does not', async () => {
      const { app, team } = dashboard;
      Object.assign(app.config, { baseUrl: app.baseUrl });
      const member = await makeMember(app, team, { name: 'Alan', email: 'alan@example.com' });
      issuer.account = { sub: 'nobody', email: 'nobody@example.com', email_verified: true };
      const page = await dashboard.open('/sign-in', SIGNED_OUT);
      await page.getByRole('link', { name: 'Continue with Desert Health' }).click();
      await page.getByText('No member has the email address of that account').waitFor();
      issuer.account = { sub: 'alan', email: member.email, email_verified: true };
      await page.context().clearCookies();
      await page.getByRole('link', { name: 'Continue with Desert Health' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await dashboard.check(page);
    });

    test('is not needed after accepting an invite, which opens the dashboard', async () => {
      const { id } = await invite(dashboard.team, 'ada@example.com', { role: 'org_admin' });
      const page = await dashboard.open('/sign-in', SIGNED_OUT);
      const { pathname } = new URL(inviteUrl(dashboard.app.ctx, dashboard.team.org_id, { id }));
      await page.goto(dashboard.app.baseUrl + pathname);
      await page.getByLabel('Your name').fill('Ada Lovelace');
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(page.url()).toBe(`${dashboard.app.baseUrl}/dashboard`);
      await dashboard.check(page);
    });
  },
  { PHIAL_SMTP_URL: mail.url, PHIAL_MAIL_FROM: 'phial@example.com', ...issuer.env },
);

await describeDashboard('the page for signing in without a mail server', (dashboard) => {
  test('says that somebody has signed out', async () => {
    const page = await dashboard.open('/', { expected: /status of 401/ });
    await page.getByRole('button', { name: 'Account of Operator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByText('You are signed out.').waitFor();
    await dashboard.check(page);
  });

  test('says how to get a link', async () => {
    await dashboard.onEachScreen(
      'sign-in-without-mail',
      '/sign-in',
      (page) => page.getByText('This service sends no mail').waitFor(),
      SIGNED_OUT,
    );
  });
});
