import { expect, test } from 'vitest';
import { toNewSummary } from './new-summary.ts';
import type { SummaryItem, SummaryResource } from './resource.ts';
import { activity } from './resources/activity.ts';
import { device } from './resources/device.ts';
import { workout } from './resources/workout.ts';

/** The texts that are hashed. */
function hashedOf(resource: SummaryResource, item: SummaryItem): string[] {
  const texts: string[] = [];
  const cipher = {
    lookupHash: (_kind: string, _team: string, text: string) => {
      texts.push(text);
      return Buffer.from(text);
    },
  };
  const user = { fallback_time_zone: 'America/Phoenix' };
  toNewSummary({ cipher, team: { id: 'a team' } } as never, user as never, resource, { item, raw: { b: 1, a: null } });
  return texts.toSorted();
}

// If these texts changed, all stored summaries would be published as updated.
test.each<[string, SummaryResource, SummaryItem, string[]]>([
  [
    'an activity',
    activity,
    { provider: 'oura', steps: 9, calendar_date: '2026-01-05', low: null, heart_rate: { max_bpm: 9, avg_bpm: 7 } },
    [
      'raw {"b":1}',
      'told {"calendar_date":"2026-01-05","texts":{},"values":{"heart_rate":{"avg_bpm":7,"max_bpm":9},"steps":9}}',
    ],
  ],
  [
    'a workout with a title and points',
    workout,
    {
      provider: 'strava',
      provider_id: 'w1',
      app_id: 'com.example',
      time_start: '2026-01-05T06:30:00-07:00',
      time_end: '2026-01-05T14:30:00Z',
      title: 'Round the lake',
      sport: 'running',
      stream: { time: [1_767_619_800], heartrate: null },
    },
    [
      'raw {"b":1}',
      'stream {"time":[1767619800]}',
      'told {"app_id":"com.example","calendar_date":"2026-01-05","provider_id":"w1",' +
        '"texts":{"title":"Round the lake"},' +
        '"values":{"sport":"running","time_end":"2026-01-05T14:30:00.000Z","time_start":"2026-01-05T13:30:00.000Z",' +
        '"timezone_offset":-25200}}',
    ],
  ],
  [
    'a device with its own id',
    device,
    { provider: 'oura', device_id: 'serial 7', device_model: 'Ring 4', device_manufacturer: 'Oura' },
    [
      'device id serial 7',
      'raw {"b":1}',
      'told {"texts":{"device_id":"serial 7"},"values":{"device_manufacturer":"Oura","device_model":"Ring 4"}}',
    ],
  ],
])('the hashed text of %s does not change', (_what, resource, item, texts) => {
  expect(hashedOf(resource, item)).toEqual(texts);
});
