import { phial, unwrap } from '../../api/client.ts';

/** The zone of the viewer, in which a day begins. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const appointmentsQuery = (team: string | undefined, day: string, cursor: string | undefined) => ({
  queryKey: ['appointments', team, day, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v3/appointment', {
        params: { query: { date: day, time_zone: ZONE, limit: 50, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

export type Appointment = Awaited<ReturnType<ReturnType<typeof appointmentsQuery>['queryFn']>>['data'][number];
