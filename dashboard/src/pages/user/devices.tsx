import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';

const read = (user_id: string) => unwrap(phial.GET('/v2/user/{user_id}/device', { params: { path: { user_id } } }));
type Device = Awaited<ReturnType<typeof read>>[number];

/** The devices from which data of the user came. */
export function Devices({ userId }: { userId: string }) {
  const query = useQuery({ queryKey: ['devices', userId], queryFn: () => read(userId) });
  return (
    <Loaded query={query}>
      {(devices) =>
        devices.length === 0 ? (
          <Empty title="No device is known">
            Connect a provider, or push data that names a device. It then appears here.
          </Empty>
        ) : (
          <DataTable caption="Devices" columns={COLUMNS} rows={devices} keyOf={({ id }) => id} />
        )
      }
    </Loaded>
  );
}

const COLUMNS: Column<Device>[] = [
  {
    label: 'Device',
    isHeader: true,
    render: ({ device_manufacturer, device_model }) =>
      [device_manufacturer, device_model].filter(Boolean).join(' ') || 'Without a name',
  },
  { label: 'Kind', render: ({ source_type }) => inWords(source_type) },
  { label: 'Provider', render: ({ provider }) => provider },
  { label: 'App', render: ({ app_id }) => app_id ?? '–' },
  { label: 'Version', render: ({ device_version }) => device_version ?? '–' },
];
