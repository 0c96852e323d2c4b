import { Button, Menu, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession, type Team } from '../api/session.tsx';
import { CheckIcon, ChevronDownIcon, SearchIcon } from '../parts/icons.tsx';
import { FindTeam } from './find-team.tsx';

/** Chooses the team whose data the pages show. */
export function TeamSwitcher() {
  const { team, teams, has_more_teams, org, chooseTeam } = useSession();
  const [isFinding, setFinding] = useState(false);
  const navigate = useNavigate();
  if (!team) return <Text truncate>{org.name}</Text>;
  const choose = (chosen: Team): void => {
    setFinding(false);
    if (chosen.id === team.id) return;
    chooseTeam(chosen);
    // The list or record of this page is of the other team.
    void navigate({ to: '/' });
  };
  // Somebody may have found the chosen team, and it may be none of the listed ones.
  const listed = teams.some(({ id }) => id === team.id) ? teams : [team, ...teams];
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            rightSection={<ChevronDownIcon size={14} />}
            aria-label={`Team ${team.name}. Choose another team`}
            px={{ base: 'xs', sm: 'md' }}
            styles={{
              root: { minWidth: 0, flexShrink: 1 },
              label: { display: 'block', height: 'auto', textOverflow: 'ellipsis' },
            }}
          >
            {team.name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
          <Menu.Label>{org.name}</Menu.Label>
          {listed.map(({ id, name }) => (
            <Menu.Item
              key={id}
              onClick={() => choose({ id, name })}
              rightSection={id === team.id ? <CheckIcon size={16} /> : null}
              aria-current={id === team.id ? 'true' : undefined}
            >
              {name}
            </Menu.Item>
          ))}
          {has_more_teams && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<SearchIcon size={16} />} onClick={() => setFinding(true)}>
                Find another team
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {isFinding && <FindTeam choose={choose} close={() => setFinding(false)} />}
    </>
  );
}
