import { Anchor, Button, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent } from 'react';
import { send } from '../../api/client.ts';
import { rememberPage, takePage } from '../../api/return-to.ts';
import { useSessionQuery } from '../../api/session.tsx';
import { MailIcon } from '../../parts/icons.tsx';
import { BrandMark } from '../../parts/brand-mark.tsx';
import { describeError } from '../../parts/states.tsx';
import classes from './page.module.css';

const ASK_AGAIN_MS = 5_000;

export default function SignIn() {
  const { from } = useSearch({ strict: false }) as { from?: unknown };
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
  return (
    <main className={classes['page']}>
      <Stack gap="sm" align="center" mb="lg">
        <BrandMark size={44} />
        <Title order={1} ta="center">
          Sign in to Phial
        </Title>
      </Stack>
      <Paper withBorder p="lg" shadow="xs">
        {mailedTo === null ? <MailForm onSent={setMailedTo} /> : <Sent to={mailedTo} again={() => setMailedTo(null)} />}
      </Paper>
      <Text c="dimmed" size="sm" mt="md" ta="center">
        Do you run this service? Open the link that it prints when it starts.
      </Text>
    </main>
  );
}

function MailForm({ onSent }: { onSent: (email: string) => void }) {
  const [email, setEmail] = useState('');
  const ask = useMutation({
    mutationFn: () => send('POST', '/v1/sign_in/link', { email: email.trim() }),
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
        If <b>{to}</b> belongs to a member, a link is on its way. Open it in this browser. This page then goes on by
        itself.
      </Text>
      <Anchor component="button" type="button" onClick={again} ta="left">
        Use another address
      </Anchor>
    </Stack>
  );
}
