import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { phial } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { formatCount } from '../../parts/figure-tile.tsx';
import { Section } from '../../parts/section.tsx';
import { inWords } from '../../parts/status-badge.tsx';

const shapeOf = (client: typeof phial) => client.GET('/v2/team/connection_counts');
export type Counts = NonNullable<Awaited<ReturnType<typeof shapeOf>>['data']>['data'];

/** What broke a connection, in a few words. */
export const CAUSES: Readonly<Record<string, string>> = {
  token_refresh_failed: 'The provider no longer accepts the token',
  webhook_registration_failed: 'The provider refused to notify us',
  user_not_found: 'The provider does not know the user',
  deregistered_per_provider: 'The user ended it at the provider',
  required_scopes_not_granted: 'The user did not allow enough',
  provider_credential_error: 'The provider refused name or password',
  provider_password_expired: 'The password at the provider has expired',
  unknown: 'The cause is not known',
};

export const causeInWords = (type: string): string => CAUSES[type] ?? inWords(type);

type Group = {
  slug: string;
  name: string;
  connected: number;
  paused: number;
  error: number;
  causes: { type: string; message: string | null; number: number }[];
};

/** One line a provider, with its errors grouped by cause. Providers with errors come first. */
export function ByProvider({ counts }: { counts: Counts }) {
  return (
    <Section title="By provider">
      <DataTable
        caption="Connections by provider"
        columns={COLUMNS}
        rows={grouped(counts)}
        keyOf={({ slug }) => slug}
      />
    </Section>
  );
}

function grouped(counts: Counts): Group[] {
  const groups = new Map<string, Group>();
  for (const { provider, status, error_type, error_message, number } of counts) {
    const group = groups.get(provider.slug) ?? {
      slug: provider.slug,
      name: provider.name,
      connected: 0,
      paused: 0,
      error: 0,
      causes: [],
    };
    groups.set(provider.slug, group);
    if (status === 'connected' || status === 'paused' || status === 'error') group[status] += number;
    if (status === 'error') group.causes.push({ type: error_type ?? 'unknown', message: error_message, number });
  }
  for (const { causes } of groups.values()) causes.sort((one, other) => other.number - one.number);
  return [...groups.values()].sort(
    (one, other) => other.error - one.error || other.connected - one.connected || one.name.localeCompare(other.name),
  );
}

const COLUMNS: Column<Group>[] = [
  { label: 'Provider', isHeader: true, render: ({ name }) => name },
  {
    label: 'Errors by cause',
    render: ({ causes, slug }) =>
      causes.length === 0 ? (
        'None'
      ) : (
        <ul style={{ margin: 0, paddingLeft: 18 }}>
          {causes.map(({ type, message, number }) => (
            <li key={type}>
              <Anchor
                component={Link}
                to="/connections"
                search={{ status: 'error', provider: slug, cause: type } as never}
              >
                {formatCount(number)}: {causeInWords(type)}
              </Anchor>
              {message !== null && (
                <Text size="sm" c="dimmed">
                  {message}
                </Text>
              )}
            </li>
          ))}
        </ul>
      ),
  },
  ...(['error', 'connected', 'paused'] as const).map((status): Column<Group> => ({
    label: { error: 'In error', connected: 'Connected', paused: 'Paused' }[status],
    align: 'right',
    render: ({ slug, name, [status]: number }) =>
      number === 0 ? (
        '0'
      ) : (
        <Anchor
          component={Link}
          to="/connections"
          search={{ status, provider: slug } as never}
          aria-label={`${formatCount(number)} of ${name}, ${status}`}
        >
          {formatCount(number)}
        </Anchor>
      ),
  })),
];
