import { Alert, Anchor, Button, Code, Divider, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { rememberPage, takePage } from '../../api/return-to.ts';
import { useSessionQuery } from '../../api/session.tsx';
import { MailIcon } from '../../parts/icons.tsx';
import { BrandMark } from '../../parts/brand-mark.tsx';
import { describeError, Loaded } from '../../parts/states.tsx';
import classes from './page.module.css';

const ASK_AGAIN_MS = 5_000;

/** Why somebody was led here, by the parameter `problem` of the address. */
const PROBLEMS: Partial<Record<string, string>> = {
  link_ended: 'That link was used already or has ended. Ask for a new one here.',
  openid_unavailable: 'That account cannot be used at the moment. Try again later.',
  openid_refused: 'You did not sign in to that account. Try again, or sign in another way.',
  openid_failed: 'Signing in with that account took too long or did not work. Try again.',
  email_not_verified: 'The email address of that account is not verified. Verify it there, then try again.',
  no_member: 'No member has the email address of that account. Ask an administrator for an invite.',
};

export default function SignIn() {
  const { from, problem, notice } = useSearch({ strict: false }) as Record<string, unknown>;
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const { history } = useRouter();
  // The link of the mail signs in at another tab. This one then goes on too.
  const session = useSessionQuery(mailedTo === null ? false : ASK_AGAIN_MS);
  useEffect(() => {
    document.title = 'Sign in · Phial';
    rememberPage(from);
  }, [from]);
  const isSignedIn = session.isSuccess;
  useEffect(() => {
    if (isSignedIn) history.replace(`/dashboard${takePage() ?? '/'}`);
  }, [isSignedIn, history]);
  const why = typeof problem === 'string' && Object.hasOwn(PROBLEMS, problem) ? PROBLEMS[problem] : undefined;
  return (
    <main className={classes['page']}>
      <Stack gap="sm" align="center" mb="lg">
        <BrandMark size={44} />
        <Title order={1} ta="center">
          Sign in to Phial
        </Title>
      </Stack>
      {why !== undefined && mailedTo === null && (
        <Alert color="yellow" mb="md" role="alert">
          {why}
        </Alert>
      )}
      {notice === 'signed_out' && mailedTo === null && (
        <Alert mb="md" role="status">
          You are signed out.
        </Alert>
      )}
      <Paper withBorder p="lg" shadow="xs">
        {mailedTo === null ? <Ways onSent={setMailedTo} /> : <Sent to={mailedTo} again={() => setMailedTo(null)} />}
      </Paper>
      <Text c="dimmed" size="sm" mt="md" ta="center">
        Do you run this service? Open the link that it prints when it starts, or run <Code>phial sign-in-link</Code>.
      </Text>
    </main>
  );
}

/** The ways that this deployment offers. */
function Ways({ onSent }: { onSent: (email: string) => void }) {
  const ways = useQuery({ queryKey: ['sign-in ways'], queryFn: () => unwrap(phial.GET('/v1/sign_in')) });
  return (
    <Loaded query={ways}>
      {({ link_by_mail, openid }) => (
        <Stack>
          {openid && (
            <Button component="a" href={openid.path} variant="default" fullWidth className={classes['long']}>
              Continue with {openid.name}
            </Button>
          )}
          {openid && link_by_mail && <Divider label="or" />}
          {link_by_mail && <MailForm onSent={onSent} />}
          {!link_by_mail && !openid && <NoWay />}
        </Stack>
      )}
    </Loaded>
  );
}

function NoWay() {
  return (
    <Stack gap="xs">
      <Text fw={600}>This service sends no mail</Text>
      <Text>Ask whoever runs it for a link, or to set up a mail server.</Text>
    </Stack>
  );
}

function MailForm({ onSent }: { onSent: (email: string) => void }) {
  const [email, setEmail] = useState('');
  const ask = useMutation({
    mutationFn: () => unwrap(phial.POST('/v1/sign_in/link', { body: { email: email.trim() } })),
    onSuccess: () => onSent(email.trim()),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Email address"
          description="We send you a link that signs you in. It works once."
          type="email"
          name="email"
          autoComplete="email"
          required
          withAsterisk={false}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          error={ask.error ? describeError(ask.error).title : null}
        />
        <Button type="submit" loading={ask.isPending} leftSection={<MailIcon size={18} />} fullWidth>
          Send the link
        </Button>
      </Stack>
    </form>
  );
}

function Sent({ to, again }: { to: string; again: () => void }) {
  return (
    <Stack gap="xs" role="status">
      <Text fw={600}>Look into your mail</Text>
      <Text>
        If <b>{to}</b> belongs to a member, a link is on its way. It works once, within 15 minutes. Open it in this
        browser. This page then goes on by itself.
      </Text>
      <Anchor component="button" type="button" onClick={again} ta="left">
        Use another address
      </Anchor>
    </Stack>
  );
}
