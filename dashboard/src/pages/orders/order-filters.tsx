import { Group } from '@mantine/core';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { DayFilter } from '../../parts/day-filter.tsx';
import { date, oneOf, text, type FiltersOf } from '../../parts/filters.ts';
import { ORDER_GROUPS } from '../../parts/order-groups.ts';
import { methodInWords } from '../../parts/order-status.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { inWords } from '../../parts/status-badge.tsx';

const METHODS = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;
const RESULTS = ['normal', 'abnormal', 'critical'] as const;

export const FILTERS = {
  status: text(100),
  method: oneOf(...METHODS),
  result: oneOf(...RESULTS),
  overdue: oneOf('true'),
  from: date,
  until: date,
  user: text(36),
};

type Props = {
  /** What is searched for. It can be a name, so it is no part of the address. */
  search: string;
  searchFor: (search: string) => void;
  filters: FiltersOf<typeof FILTERS>;
  change: (changes: { [Name in keyof typeof FILTERS]?: string | null }) => void;
};

export function OrderFilters({ search, searchFor, filters, change }: Props) {
  // Corrected orders are a part of the completed ones. A single status also comes from a link of another page.
  const chosen = filters.status ? [filters.status] : [];
  const statuses = [...new Set([...Object.keys(ORDER_GROUPS), 'corrected', ...chosen])];
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Filters of orders">
      <SearchField
        label="Search"
        placeholder="Name, birth date, sample or tracking number"
        width={330}
        value={search}
        change={(text) => searchFor(text ?? '')}
      />
      <ChoiceFilter
        label="Status"
        width={170}
        data={statuses.map((value) => ({ value, label: inWords(value.replaceAll('.', ' ')) }))}
        value={filters.status}
        change={(status) => change({ status })}
      />
      <ChoiceFilter
        label="Method"
        width={150}
        data={METHODS.map((value) => ({ value, label: methodInWords(value) }))}
        value={filters.method}
        change={(method) => change({ method })}
      />
      <ChoiceFilter
        label="Result"
        width={140}
        data={RESULTS.map((value) => ({ value, label: inWords(value) }))}
        value={filters.result}
        change={(result) => change({ result })}
      />
      <ChoiceFilter
        label="Overdue"
        width={160}
        data={[{ value: 'true', label: 'Overdue only' }]}
        value={filters.overdue}
        change={(overdue) => change({ overdue })}
      />
      <DayFilter label="Ordered from" value={filters.from} until={filters.until} change={(from) => change({ from })} />
      <DayFilter label="Until" value={filters.until} change={(until) => change({ until })} />
    </Group>
  );
}
