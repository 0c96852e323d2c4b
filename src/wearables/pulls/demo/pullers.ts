// Demo connections: in a sandbox they bring an invented person's last days, and from then on what happens today.
import type { ProviderSlug } from '../../providers.ts';
import { seriesOrNull } from '../../resources.ts';
import type { SourceType } from '../../source.ts';
import type { SummaryResource } from '../../summaries/resource.ts';
import { SUMMARIES } from '../../summaries/resources.ts';
import type { Puller, Pulled, Window } from '../puller.ts';
import { demoDay } from './day.ts';
import { DEMO_SAMPLES, DEMO_SUMMARIES, type DemoDevice } from './pieces.ts';

/** How far back a demo connection begins. */
export const DEMO_DAYS = 30;
const DAY_MS = 86_400_000;

const demo = (provider: ProviderSlug, source_type: SourceType, resources: string[]): Puller => ({
  resources: Object.fromEntries(resources.map((resource) => [resource, { windowDays: 10 }])),
  pollDays: 1,
  pollEverySeconds: 900,
  // There is no payload but the summary itself.
  mappers: {},
  pull: ({ user }, resource, window) => daysOf({ provider, source_type }, resource, window, user),
});

/** By the slug of the provider that they stand for. */
export const DEMO_PULLERS: Readonly<Record<string, Puller>> = {
  apple_health_kit: demo('apple_health_kit', 'watch', [
    'activity',
    'sleep',
    'workouts',
    'body',
    'heartrate',
    'steps',
    'distance',
    'calories_active',
  ]),
  fitbit: demo('fitbit', 'watch', ['activity', 'sleep', 'workouts', 'heartrate', 'steps', 'calories_active']),
  freestyle_libre: demo('freestyle_libre', 'automatic', ['glucose', 'meal']),
  oura: demo('oura', 'ring', ['activity', 'sleep', 'workouts', 'heartrate', 'hrv', 'steps']),
};

type User = Parameters<Puller['pull']>[0]['user'];

/** A day a piece: what lies within the window of it, and nothing that has not happened yet. */
async function* daysOf(device: DemoDevice, resource: string, { from, to }: Window, user: User): AsyncIterable<Pulled> {
  const now = Math.min(Date.now(), Date.parse(to));
  // A local day can begin half a day before or after the same one in UTC.
  for (let at = Date.parse(from) - DAY_MS; at < Date.parse(to) + DAY_MS; at += DAY_MS) {
    const day = demoDay(user, new Date(at).toISOString().slice(0, 10));
    if (seriesOrNull(resource) && DEMO_SAMPLES[resource]) {
      const samples = DEMO_SAMPLES[resource](day, device, now).filter(
        ({ sample }) => sample.at >= from && sample.at < to,
      );
      if (samples.length > 0) yield { samples };
      continue;
    }
    if (day.end <= Date.parse(from) || day.start >= Date.parse(to)) continue;
    const items = DEMO_SUMMARIES[resource]?.(day, device, Date.now(), user) ?? [];
    const incoming = items.map((item) => ({ item, raw: item }));
    if (incoming.length > 0) yield { summaries: { resource: kindOf(resource), incoming } };
  }
}

const kindOf = (name: string): SummaryResource => SUMMARIES.find((each) => each.name === name) as SummaryResource;
