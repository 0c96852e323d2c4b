// The importers of demo connections in a sandbox. They bring the last days of an invented person, and then the data of
// each day.
import type { UserRow } from '../../../users/find.ts';
import { PROVIDER_SLUGS, PROVIDERS, type ProviderSlug } from '../../providers/provider-catalogue.ts';
import type { SummaryItem, SummaryResource } from '../../summaries/resource.ts';
import { device } from '../../summaries/resources/device.ts';
import { SUMMARIES } from '../../summaries/summary-resources.ts';
import type { SampleOfSource } from '../../timeseries/store-samples.ts';
import type { Importer, Pulled, ImportSource, TimeWindow } from '../../providers/importer.ts';
import { ownProperty } from '../../../wire/own-property.ts';
import { demoDay, type DemoDay } from './day.ts';
import { deviceOf } from './demo-devices.ts';
import { samplesOfDay, DEMO_SERIES } from './demo-samples.ts';
import { DEMO_SUMMARIES } from './demo-summaries.ts';
import type { ProviderFacts } from '../../providers/facts.ts';

/** The number of days of the past that a demo connection brings. */
export const DEMO_DAYS = 30;
const DAY_MS = 86_400_000;
const SAMPLES_PER_CHUNK = 2_000;
const SUMMARIES_PER_CHUNK = 50;

/** Resources that come with another one: the points of workouts, and the stages of sleeps. */
const WITHIN: Readonly<Record<string, string>> = { workout_stream: 'workouts', sleep_cycle: 'sleep' };
/** A series without an event of its own, so it cannot be pulled by itself. It comes with sleeps. */
const STAGES = 'hypnogram';
/** A resource of the person, not of a day. */
const OF_PERSON = 'profile';

/** Returns the resources of a demo: those of the provider that an invented day has. Devices come with them. */
const resourcesOf = (provider: ProviderSlug): string[] =>
  (PROVIDERS[provider] as ProviderFacts).resources.filter(
    (name) => name !== STAGES && (name in WITHIN || name in DEMO_SUMMARIES || DEMO_SERIES.includes(name)),
  );

function demo(provider: ProviderSlug): Importer {
  const [lead = '', ...others] = resourcesOf(provider);
  const windowDays = DEMO_DAYS + 1;
  return {
    // All resources come from the same days, so one request (for the lead) brings them all.
    resources: {
      [lead]: { windowDays },
      ...Object.fromEntries(others.map((name) => [name, { windowDays, with: lead }])),
    },
    pollDays: 1,
    pollEverySeconds: 900,
    // Mappers are not needed, because the payload is the summary itself.
    mappers: {},
    pull: (source, _lead, window) => daysOf(provider, source, window),
  };
}

/** The importers by the slug of the provider that they simulate. */
export const DEMO_IMPORTERS: Readonly<Record<string, Importer>> = Object.fromEntries(
  PROVIDER_SLUGS.map((slug) => [slug, demo(slug)]),
);

/** Yields the data of the wanted resources in the window, up to now. */
async function* daysOf(provider: ProviderSlug, source: ImportSource, window: TimeWindow): AsyncIterable<Pulled> {
  const { user, wanted } = source;
  const days = daysAround(user, window);
  yield { summaries: { resource: device, incoming: [{ item: deviceItem(provider), raw: deviceItem(provider) }] } };
  for (const resource of wanted) {
    const lead = ownProperty(WITHIN, resource);
    if (lead !== undefined && wanted.has(lead)) continue;
    const name = lead ?? resource;
    if (name in DEMO_SUMMARIES) yield* summariesOfDays(provider, name, { user, days });
    else yield* samplesOfDays(provider, name, { days, window });
    if (name === 'sleep' && (PROVIDERS[provider] as ProviderFacts).resources.includes(STAGES))
      yield* samplesOfDays(provider, STAGES, { days, window });
  }
}

/**
 * Returns the local days of the person that overlap the window. A local day can begin half a day before or after the
 * same day in UTC. So this function also checks the day before and the day after the window.
 */
function daysAround(user: UserRow, { from, to }: TimeWindow): DemoDay[] {
  const days: DemoDay[] = [];
  for (let at = Date.parse(from) - DAY_MS; at < Date.parse(to) + DAY_MS; at += DAY_MS) {
    const day = demoDay(user, new Date(at).toISOString().slice(0, 10));
    if (day.end > Date.parse(from) && day.start < Date.parse(to)) days.push(day);
  }
  return days;
}

/** Yields summaries. The summary of today has the day so far. */
function* summariesOfDays(
  provider: ProviderSlug,
  name: string,
  { user, days }: { user: UserRow; days: DemoDay[] },
): Iterable<Pulled> {
  const of = deviceOf(provider, name);
  const items = days.flatMap((day) => ownProperty(DEMO_SUMMARIES, name)?.(day, of, Date.now(), user) ?? []);
  // A profile is the same every day, so only the newest one is used.
  const current = name === OF_PERSON ? items.slice(-1) : items;
  for (let n = 0; n < current.length; n += SUMMARIES_PER_CHUNK)
    yield {
      summaries: {
        resource: kindOf(name),
        incoming: current.slice(n, n + SUMMARIES_PER_CHUNK).map((item) => ({ item, raw: item })),
      },
    };
}

/**
 * Yields samples of complete days, even if the window begins within a day. Otherwise the samples of the first day would
 * not add up to its summary.
 */
function* samplesOfDays(
  provider: ProviderSlug,
  name: string,
  { days, window: { to } }: { days: DemoDay[]; window: TimeWindow },
): Iterable<Pulled> {
  const now = Math.min(Date.now(), Date.parse(to));
  const of = deviceOf(provider, name);
  let chunk: SampleOfSource[] = [];
  for (const day of days) {
    chunk.push(...samplesOfDay(name, day, of, now).filter(({ sample: { at } }) => at < to));
    if (chunk.length < SAMPLES_PER_CHUNK) continue;
    yield { samples: chunk };
    chunk = [];
  }
  if (chunk.length > 0) yield { samples: chunk };
}

const kindOf = (name: string): SummaryResource => SUMMARIES.find((each) => each.name === name) as SummaryResource;

/** Returns the device that data of this provider names as its source. */
function deviceItem(provider: ProviderSlug): SummaryItem {
  const { name } = PROVIDERS[provider];
  return { ...deviceOf(provider, ''), device_manufacturer: name, device_model: `${name} (invented)` };
}
