import { SERIES_FACTS, UNGROUPED } from '../series-facts.ts';
import type { Recipe } from './recipe.ts';

const NAME = 'moonlight_exposure';
const MANY = SERIES_FACTS.length;
const MANY_GROUPED = SERIES_FACTS.filter(({ name }) => !UNGROUPED.some(([path]) => path === name)).length;

/** Adds an invented series: the minutes that a person spends in moonlight. */
export const series: Recipe = {
  heading: 'a series of samples',
  edits: [
    {
      file: 'src/wearables/series.ts',
      before: "  point('hrv_sdnn', ",
      text: `  interval('${NAME}', 'MoonlightExposure', 'time in moonlight', 'min', WEEK_IN_MINUTES),\n`,
    },
    {
      file: 'test/series-facts.ts',
      before: "  line('note', ",
      text: `  line('${NAME}', 'min', 'interval'),\n`,
    },
    {
      file: 'src/wearables/timeseries/plausible.test.ts',
      after: '  mindfulness_minutes: minutes,\n',
      text: `  ${NAME}: minutes,\n`,
    },
    {
      file: 'src/wearables/timeseries/all-series.test.ts',
      instead: `test('the ${MANY} series`,
      text: `test('the ${MANY + 1} series`,
    },
    {
      file: 'src/wearables/timeseries/all-series.test.ts',
      instead: `expect(SERIES_FACTS).toHaveLength(${MANY})`,
      text: `expect(SERIES_FACTS).toHaveLength(${MANY + 1})`,
    },
    {
      file: 'src/wearables/timeseries/all-series.test.ts',
      instead: `expect(without).toHaveLength(${MANY_GROUPED})`,
      text: `expect(without).toHaveLength(${MANY_GROUPED + 1})`,
    },
    {
      file: 'src/wearables/pulls/demo/demo-samples.ts',
      before: '  uv_exposure: (day, chance) =>',
      text: `  ${NAME}: (day) => [{ at: hour(day, 1), value: 4, minutes: 60 }],\n`,
    },
    { file: 'CHANGELOG.md', after: '# Changelog\n', text: `\n- Samples have the invented series \`${NAME}\`.\n` },
  ],
  updates: [
    'test/answers.test.ts',
    'test/openapi.test.ts',
    'test/openapi-shape.test.ts',
    'test/generated.test.ts',
    'packages/client/src/generated.test.ts',
  ],
  untouched: {
    'docs/answers.json': 'test/answers.test.ts writes it',
    'wearables/pulls/demo.test.ts': 'checks the demo connections, and has no list of series',
    'providers/provider-catalogue.ts': 'no provider of the catalogue measures moonlight',
    'facts.ts': 'no provider that we connect measures moonlight',
    'import.ts': 'no provider that we connect measures moonlight',
    'wearables/providers/': 'no provider that we connect measures moonlight',
    'files/parse/': 'no file contains moonlight',
  },
};
