import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';

const PATH = '/v1/org/{org_id}/team/{team_id}/link_redirect_urls';
const MOST = 20;
const LONGEST = 2048;

function usePath() {
  const { org_id, team_id } = useTeamPath();
  return { org_id, team_id };
}

/** Where users come back to after they connected a provider. */
export function RedirectUrls() {
  const path = usePath();
  const list = useQuery({
    queryKey: ['link_redirect_urls', path.team_id],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path } })),
  });
  return (
    <Section title="Where users come back to">
      <Loaded query={list}>{({ urls }) => <UrlForm start={urls} />}</Loaded>
    </Section>
  );
}

function UrlForm({ start }: { start: string[] }) {
  const path = usePath();
  const { environment } = useTeamPath();
  const [written, setWritten] = useState(start.join('\n'));
  const urls = written
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const save = useMutation({
    mutationFn: async (): Promise<void> => {
      await unwrap(phial.PUT(PATH, { params: { path }, body: { urls } }));
      await readAgain('link_redirect_urls');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const change = (value: string): void => {
    save.reset();
    setWritten(value);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed">
          After a user has connected a provider, a link leads back to your program. It leads to these addresses only.
          {environment === 'sandbox' && ' The sandbox also accepts every https address, and localhost.'}
        </Text>
        <Textarea
          label="Addresses"
          description={`One on each line, at most ${MOST}. A link names one of them exactly.`}
          placeholder="https://app.example.com/connected"
          autosize
          minRows={2}
          maxRows={MOST}
          maxLength={MOST * (LONGEST + 1)}
          spellCheck={false}
          value={written}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          error={urls.length > MOST && `These are ${urls.length}. Take some away.`}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={urls.length > MOST}>
            Save the addresses
          </Button>
          {save.isSuccess && <Text role="status">The addresses are saved.</Text>}
          <Refusal error={save.error} />
        </Group>
      </Stack>
    </form>
  );
}
