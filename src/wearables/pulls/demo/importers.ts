// Demo connections: in a sandbox they bring an invented person's last days, and from then on what happens today.
import type { UserRow } from '../../../users/find.ts';
import { PROVIDER_SLUGS, PROVIDERS, type ProviderSlug } from '../../providers/catalogue.ts';
import type { SummaryItem, SummaryResource } from '../../summaries/resource.ts';
import { device } from '../../summaries/resources/device.ts';
import { SUMMARIES } from '../../summaries/resources.ts';
import type { SampleOfSource } from '../../timeseries/store-samples.ts';
import type { Importer, Pulled, ImportSource, Window } from '../../providers/importer.ts';
import { ownOf } from '../../../wire/own.ts';
import { demoDay, type DemoDay } from './day.ts';
import { deviceOf } from './devices.ts';
import { samplesOfDay, DEMO_SERIES } from './samples.ts';
import { DEMO_SUMMARIES } from './summaries.ts';
import type { ProviderFacts } from '../../providers/facts.ts';

/** How far back a demo connection begins. */
export const DEMO_DAYS = 30;
const DAY_MS = 86_400_000;
const SAMPLES_A_PIECE = 2_000;
const SUMMARIES_A_PIECE = 50;

/** What comes with another one: points with workouts, stages with sleeps. */
const WITHIN: Readonly<Record<string, string>> = { workout_stream: 'workouts', sleep_cycle: 'sleep' };
/** No event tells of it, so that it is no pull: it comes beside sleeps. */
const STAGES = 'hypnogram';
/** Known of the person, and not of a day. */
const OF_PERSON = 'profile';

/** Everything that a demo of the provider brings: all that the provider has, as far as any day has it. Devices come beside. */
const resourcesOf = (provider: ProviderSlug): string[] =>
  (PROVIDERS[provider] as ProviderFacts).resources.filter(
    (name) => name !== STAGES && (name in WITHIN || name in DEMO_SUMMARIES || DEMO_SERIES.includes(name)),
  );

function demo(provider: ProviderSlug): Importer {
  const [lead = '', ...others] = resourcesOf(provider);
  const windowDays = DEMO_DAYS + 1;
  return {
    // One look at the days brings everything.
    resources: {
      [lead]: { windowDays },
      ...Object.fromEntries(others.map((name) => [name, { windowDays, with: lead }])),
    },
    pollDays: 1,
    pollEverySeconds: 900,
    // There is no payload but the summary itself.
    mappers: {},
    pull: (source, _lead, window) => daysOf(provider, source, window),
  };
}

/** By the slug of the provider that they stand for. */
export const DEMO_IMPORTERS: Readonly<Record<string, Importer>> = Object.fromEntries(
  PROVIDER_SLUGS.map((slug) => [slug, demo(slug)]),
);

/** What lies within the window of each resource, and nothing that has not happened yet. */
async function* daysOf(provider: ProviderSlug, source: ImportSource, window: Window): AsyncIterable<Pulled> {
  const { user, wanted } = source;
  const days = daysAround(user, window);
  yield { summaries: { resource: device, incoming: [{ item: deviceItem(provider), raw: deviceItem(provider) }] } };
  for (const resource of wanted) {
    const lead = ownOf(WITHIN, resource);
    if (lead !== undefined && wanted.has(lead)) continue;
    const name = lead ?? resource;
    if (name in DEMO_SUMMARIES) yield* summariesOfDays(provider, name, { user, days });
    else yield* samplesOfDays(provider, name, { days, window });
    if (name === 'sleep' && (PROVIDERS[provider] as ProviderFacts).resources.includes(STAGES))
      yield* samplesOfDays(provider, STAGES, { days, window });
  }
}

/** A local day can begin half a day before or after the same one in UTC; of the person's own days those that meet the window. */
function daysAround(user: UserRow, { from, to }: Window): DemoDay[] {
  const days: DemoDay[] = [];
  for (let at = Date.parse(from) - DAY_MS; at < Date.parse(to) + DAY_MS; at += DAY_MS) {
    const day = demoDay(user, new Date(at).toISOString().slice(0, 10));
    if (day.end > Date.parse(from) && day.start < Date.parse(to)) days.push(day);
  }
  return days;
}

/** Of all that has happened of a day by now: a summary is told whole. */
function* summariesOfDays(
  provider: ProviderSlug,
  name: string,
  { user, days }: { user: UserRow; days: DemoDay[] },
): Iterable<Pulled> {
  const of = deviceOf(provider, name);
  const items = days.flatMap((day) => ownOf(DEMO_SUMMARIES, name)?.(day, of, Date.now(), user) ?? []);
  // What is told of every day again, as of the person, is told as it is now.
  const told = name === OF_PERSON ? items.slice(-1) : items;
  for (let n = 0; n < told.length; n += SUMMARIES_A_PIECE)
    yield {
      summaries: {
        resource: kindOf(name),
        incoming: told.slice(n, n + SUMMARIES_A_PIECE).map((item) => ({ item, raw: item })),
      },
    };
}

/** Days are told whole, as summaries are: sums of the first one are the same in both. */
function* samplesOfDays(
  provider: ProviderSlug,
  name: string,
  { days, window: { to } }: { days: DemoDay[]; window: Window },
): Iterable<Pulled> {
  const now = Math.min(Date.now(), Date.parse(to));
  const of = deviceOf(provider, name);
  let piece: SampleOfSource[] = [];
  for (const day of days) {
    piece.push(...samplesOfDay(name, day, of, now).filter(({ sample: { at } }) => at < to));
    if (piece.length < SAMPLES_A_PIECE) continue;
    yield { samples: piece };
    piece = [];
  }
  if (piece.length > 0) yield { samples: piece };
}

const kindOf = (name: string): SummaryResource => SUMMARIES.find((each) => each.name === name) as SummaryResource;

/** What the data seems to be measured by. */
function deviceItem(provider: ProviderSlug): SummaryItem {
  const { name } = PROVIDERS[provider];
  return { ...deviceOf(provider, ''), device_manufacturer: name, device_model: `${name} (invented)` };
}
