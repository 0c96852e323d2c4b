import { unwrap, type components } from '@phial/client';
import { DEMO_IMPORTERS } from '../../wearables/pulls/demo/demo-importers.ts';
import type { ProviderSlug } from '../../wearables/providers/provider-catalogue.ts';
import { SERIES } from '../../wearables/series.ts';
import { PULLED_NAMES } from '../../wearables/pulls/events.ts';
import { SUMMARIES } from '../../wearables/summaries/summary-resources.ts';
import { sampleOf } from './samples.ts';
import type { Scenario, Stage, Untriggerable } from './scenario.ts';
import { deleteSummary, pushSummary } from './summaries.ts';

type Entry = [type: string, scenario: Scenario | Untriggerable];
type Sample = components['schemas']['SampleInput'];

/** Samples are of an hour ago, because an interval must have ended. */
const HOUR_MS = 3_600_000;

const push = ({ phial, user_id }: Stage, sample: Sample): Promise<unknown> =>
  unwrap(phial.POST('/v2/timeseries/{user_id}/samples', { params: { path: { user_id } }, body: [sample] }));

const sampleScenarios: Entry[] = SERIES.filter(({ event }) => event !== null).flatMap((series): Entry[] => {
  const at = new Date(Date.now() - HOUR_MS);
  const create = (stage: Stage): Promise<unknown> => push(stage, sampleOf(series, at));
  return [
    [`daily.data.${series.event}.created`, { does: `Pushes a sample: ${series.what}.`, play: create }],
    [
      `daily.data.${series.event}.updated`,
      {
        does: `Pushes a sample twice, with different values: ${series.what}.`,
        play: async (stage) => {
          await create(stage);
          await push(stage, sampleOf(series, at, { isChanged: true }));
        },
      },
    ],
    [
      `daily.data.${series.event}.deleted`,
      {
        does: `Pushes a sample and deletes it: ${series.what}.`,
        play: async (stage) => {
          await create(stage);
          const { provider, source_type } = sampleOf(series, at);
          const [start, end] = [at, new Date()].map((moment) => moment.toISOString()) as [string, string];
          const body = [{ resource: series.name, provider, source_type, start, end }];
          const params = { path: { user_id: stage.user_id } };
          await unwrap(stage.phial.DELETE('/v2/timeseries/{user_id}/samples', { params, body: body as never }));
        },
      },
    ],
  ];
});

const summaryScenarios: Entry[] = SUMMARIES.flatMap(({ name, one, isDevice }): Entry[] => {
  const type = isDevice ? 'provider.device' : `daily.data.${name}`;
  const create = (stage: Stage): Promise<string> => pushSummary(stage, name);
  const change = async (stage: Stage): Promise<void> => {
    await create(stage);
    await pushSummary(stage, name, { isChanged: true });
  };
  return [
    [`${type}.created`, { does: `Pushes a ${one}.`, play: create }],
    [`${type}.updated`, { does: `Pushes a ${one} twice, with different values.`, play: change }],
    ...(isDevice
      ? []
      : ([
          [
            `${type}.deleted`,
            {
              does: `Pushes a ${one} and deletes it.`,
              play: async (stage) => deleteSummary(stage, name, await create(stage)),
            },
          ],
        ] satisfies Entry[])),
    ...(name === 'workouts'
      ? ([
          ['daily.data.workout_stream.created', { does: 'Pushes a workout with its points.', play: create }],
          [
            'daily.data.workout_stream.updated',
            { does: 'Pushes a workout twice, with different points.', play: change },
          ],
        ] satisfies Entry[])
      : []),
  ];
});

const connect = ({ phial, user_id }: Stage, provider: string): Promise<unknown> =>
  unwrap(phial.POST('/v2/link/connect/demo', { body: { user_id, provider: provider as ProviderSlug } }));

/** The providers that a sandbox simulates. Those with the least data come first, because their pulls end soonest. */
const SIMULATED = Object.entries(DEMO_IMPORTERS)
  .map(([slug, { resources }]) => ({ slug, resources: Object.keys(resources) }))
  .toSorted((one, other) => one.resources.length - other.resources.length);

const pullScenarios: Entry[] = PULLED_NAMES.map((name) => {
  const provider = SIMULATED.find(({ resources }) => resources.includes(name))?.slug;
  const type = `historical.data.${name}.created`;
  if (provider === undefined) return [type, { reason: 'No provider that a sandbox simulates brings this resource.' }];
  return [
    type,
    {
      does: `Connects the user to invented data of ${provider}, whose past is pulled.`,
      play: (stage) => connect(stage, provider),
    },
  ];
});

/** Scenarios about wearable data, by the type of the event that they publish. */
export const WEARABLE_SCENARIOS: Readonly<Record<string, Scenario | Untriggerable>> = {
  ...Object.fromEntries(sampleScenarios),
  ...Object.fromEntries(pullScenarios),
  'provider.connection.created': {
    does: 'Connects the user to invented data of Oura.',
    play: (stage) => connect(stage, 'oura'),
  },
  'provider.connection.error': {
    reason:
      'A provider has to refuse the token, and a simulated one never does. phial demo-clinic publishes one, because ' +
      'a connection of the demo clinic fails.',
  },
  ...Object.fromEntries(summaryScenarios),
};
