import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CalendarDate } from '../../parts/time.tsx';
import { daysAfter } from '../../parts/zone.ts';
import type { Span } from './span.ts';
import { activityQuery } from './summaries.ts';

/** More would hide the charts. */
const SHOWN = 3;

type Journey = { zone: string; first: string; last: string };

/** Says on which days the user was in another zone, because meals and sleep lie at other hours of the charts then. */
export function Journeys({ userId, span, zone }: { userId: string; span: Span; zone: string }) {
  const { data } = useQuery(activityQuery(userId, { first: span.first, last: span.last }));
  const journeys = journeysOf(data?.activity ?? [], zone);
  if (journeys.length === 0) return null;
  return (
    <Text size="sm">
      {'In another zone, so that the hours of the charts are shifted: '}
      {journeys.slice(-SHOWN).map(({ zone: there, first, last }, at) => (
        <span key={first}>
          {at > 0 && '; '}
          <CalendarDate date={first} />
          {last !== first && (
            <>
              {' to '}
              <CalendarDate date={last} />
            </>
          )}
          {` in ${there}`}
        </span>
      ))}
      {journeys.length > SHOWN && `; and ${journeys.length - SHOWN} journeys before`}.
    </Text>
  );
}

type Day = { calendar_date: string; time_zone: string | null };

/** The days in other zones, in which days that follow each other in one zone are one journey. The oldest is first. */
function journeysOf(days: readonly Day[], home: string): Journey[] {
  const journeys: Journey[] = [];
  for (const { calendar_date: date, time_zone } of days.toSorted((a, b) =>
    a.calendar_date < b.calendar_date ? -1 : 1,
  )) {
    if (time_zone === null || time_zone === home) continue;
    const last = journeys.at(-1);
    if (last?.zone === time_zone && date <= daysAfter(last.last, 1)) last.last = date;
    else journeys.push({ zone: time_zone, first: date, last: date });
  }
  return journeys;
}
