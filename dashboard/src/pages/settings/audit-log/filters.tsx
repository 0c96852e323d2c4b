import { Autocomplete, Group } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useSession } from '../../../api/session.tsx';
import { ChoiceFilter } from '../../../parts/choice-filter.tsx';
import { DayFilter } from '../../../parts/day-filter.tsx';
import { date, oneOf, text, type FiltersOf } from '../../../parts/filters.ts';
import { SearchField } from '../../../parts/search-field.tsx';
import { ACTORS, actorInWords } from './callers.ts';

export const FILTERS = {
  since: date,
  until: date,
  team: text(36),
  actor: oneOf(...ACTORS),
  action: text(100),
  record: text(36),
};
export type Filters = FiltersOf<typeof FILTERS>;

/** Operations that are asked for most. Any other can be written. */
const ACTIONS = [
  'get_order',
  'list_orders',
  'create_order',
  'cancel_order',
  'patch_order',
  'get_results',
  'get_result_pdf',
  'acknowledge_critical_result',
  'get_user',
  'get_user_info',
  'create_user',
  'delete_user',
  'use_sign_in_link',
];

type Props = {
  filters: Filters;
  change: (changes: { [Name in keyof typeof FILTERS]?: string | null }) => void;
};

export function AuditFilters({ filters, change }: Props) {
  const { teams } = useSession();
  const { team } = filters;
  const known = teams.map(({ id, name }) => ({ value: id, label: name }));
  // A team of the address stays selectable, also where the session does not name it.
  const isKnown = team === undefined || known.some(({ value }) => value === team);
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Filters of the audit log">
      <SearchField
        label="Id of a user, order or other record"
        value={filters.record}
        change={(record) => change({ record })}
        longest={36}
      />
      <DayFilter label="Since" value={filters.since} until={filters.until} change={(since) => change({ since })} />
      <DayFilter label="Until" value={filters.until} change={(until) => change({ until })} />
      <ChoiceFilter
        label="Caller"
        width={180}
        data={ACTORS.map((value) => ({ value, label: actorInWords(value) }))}
        value={filters.actor}
        change={(actor) => change({ actor })}
      />
      <ChoiceFilter
        label="Team"
        width={180}
        data={isKnown ? known : [...known, { value: team, label: team }]}
        value={team}
        change={(team) => change({ team })}
      />
      <Action value={filters.action ?? ''} change={(action) => change({ action })} />
    </Group>
  );
}

/** Searches after a pause in typing, so that not every letter is a request. */
function Action({ value, change }: { value: string; change: (value: string | null) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const search = useDebouncedCallback((action: string) => change(action.trim() || null), 300);
  return (
    <Autocomplete
      label="Operation"
      placeholder="Any, such as get_order"
      w={{ base: '100%', sm: 240 }}
      maxLength={100}
      data={ACTIONS}
      value={typed}
      onChange={(action) => {
        setTyped(action);
        search(action);
      }}
    />
  );
}
