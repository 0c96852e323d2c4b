import { Button, Menu, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useSession } from '../api/session.tsx';
import { CheckIcon, ChevronDownIcon } from '../parts/icons.tsx';

/** Chooses the team whose data the pages show. */
export function TeamSwitcher() {
  const { team, teams, org, chooseTeam } = useSession();
  const navigate = useNavigate();
  if (!team) return <Text truncate>{org.name}</Text>;
  const choose = (id: string): void => {
    if (id === team.id) return;
    chooseTeam(id);
    // The list or record of this page is of the other team.
    void navigate({ to: '/' });
  };
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="sm"
          rightSection={<ChevronDownIcon size={14} />}
          aria-label={`Team ${team.name}. Choose another team`}
          styles={{ root: { minWidth: 0, flexShrink: 1 } }}
        >
          {team.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        <Menu.Label>{org.name}</Menu.Label>
        {teams.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => choose(id)}
            rightSection={id === team.id ? <CheckIcon size={16} /> : null}
            aria-current={id === team.id ? 'true' : undefined}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
