import { MultiSelect } from '@mantine/core';
import { useSession } from '../../../api/session.tsx';

type Props = { value: string[]; change: (teams: string[]) => void };

/** Chooses the teams that may use an account. */
export function TeamChoice({ value, change }: Props) {
  const { teams } = useSession();
  const known = teams.map(({ id, name }) => ({ value: id, label: name }));
  // The session does not name the teams of an organisation with very many.
  const others = value.filter((id) => !teams.some((team) => team.id === id)).map((id) => ({ value: id, label: id }));
  return (
    <MultiSelect
      label="Teams"
      description="If none is chosen, all teams of the organisation may use it."
      searchable
      data={[...known, ...others]}
      value={value}
      onChange={change}
    />
  );
}
