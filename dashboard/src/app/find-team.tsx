import { Button, Modal, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../api/client.ts';
import { useSession, type Team } from '../api/session.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Loaded } from '../parts/states.tsx';

/** Finds a team by a part of its name, for people who have more teams than the menu lists. */
export function FindTeam({ choose, close }: { choose: (team: Team) => void; close: () => void }) {
  const { org } = useSession();
  const [search, setSearch] = useState<string | null>(null);
  const query = useQuery({
    queryKey: ['teams', 'found', search],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team', {
          params: { path: { org_id: org.id }, query: search === null ? {} : { search_query: search } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Modal opened onClose={close} title="Find a team" centered>
      <Stack gap="md">
        <SearchField label="Name or your own id" value={search ?? undefined} change={setSearch} width={400} />
        <Loaded query={query}>
          {({ teams, next_cursor }) => (
            <Stack gap="xs" role="group" aria-label="Teams">
              {teams.map(({ id, name }) => (
                <Button key={id} variant="default" justify="flex-start" onClick={() => choose({ id, name })}>
                  {name}
                </Button>
              ))}
              <Text size="sm" c="dimmed" role="status">
                {teams.length === 0 && 'No team matches. A part of the name is enough.'}
                {next_cursor !== null && 'There are more. Write more of the name.'}
              </Text>
            </Stack>
          )}
        </Loaded>
      </Stack>
    </Modal>
  );
}
