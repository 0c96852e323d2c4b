import type { DocumentedProvider } from './documented.ts';
import { DAY, WHOLE, takes, atMost, all, type Check } from './checks.ts';
import { seconds, every, iso, idOf } from './stand-in-responses.ts';

const oldAndNew = (name: string) => ({
  [`start${name}`]: name === 'date' ? WHOLE : DAY,
  [`end${name}`]: name === 'date' ? WHOLE : DAY,
});

/** Withings tells its calls apart by a field. */
const action =
  (actions: Record<string, Check>): Check =>
  (asked) =>
    (actions[asked.fields['action'] ?? ''] ?? (() => `action=${asked.fields['action']} is not accepted`))(asked);
const posted = (name: string, needed: Record<string, RegExp>, maybe: Record<string, RegExp> = {}): Check =>
  takes({ action: new RegExp(`^${name}$`), ...needed }, { offset: WHOLE, ...maybe }, 'fields');
const fieldsList = { data_fields: /^[a-z_]+(,[a-z_]+)*$/ };
const category = { callbackurl: /^https?:/, appli: WHOLE };

const measures = (date: number, ...values: [number, number][]) => ({
  grpid: date,
  attrib: 0,
  date,
  measures: values.map(([type, value]) => ({ type, value, unit: 0 })),
});

export const withings: DocumentedProvider = {
  hosts: ['account.withings.com', 'wbsapi.withings.net'],
  historyDays: 90,
  authorise: {
    path: '/oauth2_user/authorize2',
    query: { scope: 'user.info,user.metrics,user.activity,user.sleepevents' },
  },
  token: { path: '/v2/oauth2', client: 'body', fields: { action: 'requesttoken' } },
  calls: [
    [
      /^POST \/measure$/,
      action({
        getmeas: posted('getmeas', { meastypes: /^\d+(,\d+)*$/, category: /^1$/, ...oldAndNew('date') }),
      }),
    ],
    [
      /^POST \/v2\/measure$/,
      action({
        getactivity: posted('getactivity', { ...fieldsList, ...oldAndNew('dateymd') }),
        getworkouts: posted('getworkouts', { ...fieldsList, ...oldAndNew('dateymd') }),
        getintradayactivity: all(
          posted('getintradayactivity', { ...fieldsList, ...oldAndNew('date') }),
          atMost(1, ['startdate', 'enddate'], 'fields'),
        ),
      }),
    ],
    [
      /^POST \/v2\/sleep$/,
      action({
        getsummary: posted('getsummary', { ...fieldsList, ...oldAndNew('dateymd') }),
        get: all(posted('get', { ...fieldsList, ...oldAndNew('date') }), atMost(1, ['startdate', 'enddate'], 'fields')),
      }),
    ],
    [
      /^POST \/notify$/,
      action({
        list: posted('list', {}),
        revoke: posted('revoke', category),
        subscribe: posted('subscribe', category, { comment: /./ }),
      }),
    ],
  ],
  play: ({ body }) => {
    const form = new URLSearchParams(body);
    const nights = every(1, Date.parse(form.get('startdateymd') ?? ''), Date.parse(form.get('enddateymd') ?? ''));
    const series = nights.map((at) => ({
      id: idOf(at),
      startdate: idOf(at),
      enddate: idOf(at) + 14_400,
      modified: 1,
      date: iso(at).slice(0, 10),
      timezone: 'UTC',
      data: { total_sleep_time: 14_000 },
    }));
    return { json: { status: 0, body: { series: form.get('action') === 'getsummary' ? series : [] } } };
  },
  outOfBounds: [
    {
      responses: {
        measure: {
          status: 0,
          body: {
            timezone: 'Europe/Paris',
            measuregrps: [
              measures(seconds, [1, 80], [6, 400]),
              measures(seconds + 1, [10, 5_000], [9, 80]),
              measures(seconds + 2, [10, 120], [9, 8_000]),
              measures(seconds + 3, [10, 120], [9, 80]),
            ],
          },
        },
      },
      summaries: { path: 'body', expected: [{ weight: 80, fat: null }] },
      samples: { name: 'blood_pressure', expected: [120] },
    },
    {
      // A fraction of a value that is measured in percent.
      responses: {
        measure: {
          status: 0,
          body: {
            timezone: 'Europe/Paris',
            measuregrps: [measures(seconds, [54, 0.97]), measures(seconds + 1, [54, 97])],
          },
        },
      },
      samples: { name: 'blood_oxygen', expected: [97] },
    },
  ],
};
