import { Group, Select, TextInput } from '@mantine/core';
import { date, oneOf, text, type FiltersOf } from '../../parts/filters.ts';
import { ORDER_GROUPS } from '../../parts/order-groups.ts';
import { methodInWords } from '../../parts/order-status.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { inWords } from '../../parts/status-badge.tsx';

const METHODS = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;
const RESULTS = ['normal', 'abnormal', 'critical'] as const;

export const FILTERS = {
  search: text(200),
  status: text(100),
  method: oneOf(...METHODS),
  result: oneOf(...RESULTS),
  overdue: oneOf('true'),
  from: date,
  until: date,
  user: text(36),
};

type Props = {
  filters: FiltersOf<typeof FILTERS>;
  change: (changes: { [Name in keyof typeof FILTERS]?: string | null }) => void;
};

export function OrderFilters({ filters, change }: Props) {
  // A single status comes from a link of another page and stays selectable.
  const statuses = [...new Set([...Object.keys(ORDER_GROUPS), ...(filters.status ? [filters.status] : [])])];
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Filters of orders">
      <SearchField
        label="Search"
        placeholder="Name, date of birth, order or sample id"
        width={330}
        value={filters.search}
        change={(search) => change({ search })}
      />
      <Select
        label="Status"
        placeholder="Any"
        clearable
        w={{ base: 'calc(50% - 6px)', xs: 170 }}
        data={statuses.map((value) => ({ value, label: inWords(value.replaceAll('.', ' ')) }))}
        value={filters.status ?? null}
        onChange={(status) => change({ status })}
      />
      <Select
        label="Method"
        placeholder="Any"
        clearable
        w={{ base: 'calc(50% - 6px)', xs: 150 }}
        data={METHODS.map((value) => ({ value, label: methodInWords(value) }))}
        value={filters.method ?? null}
        onChange={(method) => change({ method })}
      />
      <Select
        label="Result"
        placeholder="Any"
        clearable
        w={{ base: 'calc(50% - 6px)', xs: 140 }}
        data={RESULTS.map((value) => ({ value, label: inWords(value) }))}
        value={filters.result ?? null}
        onChange={(result) => change({ result })}
      />
      <Select
        label="Overdue"
        placeholder="Any"
        clearable
        w={{ base: 'calc(50% - 6px)', xs: 140 }}
        data={[{ value: 'true', label: 'Overdue only' }]}
        value={filters.overdue ?? null}
        onChange={(overdue) => change({ overdue })}
      />
      <TextInput
        label="Ordered from"
        type="date"
        w={{ base: 'calc(50% - 6px)', xs: 150 }}
        value={filters.from ?? ''}
        onChange={({ currentTarget }) => change({ from: currentTarget.value || null })}
      />
      <TextInput
        label="Until"
        type="date"
        w={{ base: 'calc(50% - 6px)', xs: 150 }}
        value={filters.until ?? ''}
        onChange={({ currentTarget }) => change({ until: currentTarget.value || null })}
      />
    </Group>
  );
}
