import { Type } from 'typebox';
import { defineEvent, type EventType } from '../src/events/define.ts';

/** The data of invented events, where a test needs it. */
const data = Type.Object({ n: Type.Optional(Type.Integer()), s: Type.Optional(Type.String()) });
/** Data without an origin. */
const defineWithoutOrigin = (name: string): EventType<typeof data> => ({
  ...defineEvent({ name, summary: '', data }),
  hasOrigin: false,
});

export const steps = defineWithoutOrigin('daily.data.steps.created');
export const sleep = defineWithoutOrigin('daily.data.sleep.created');
export const glucose = defineWithoutOrigin('daily.data.glucose.created');
export const water = defineWithoutOrigin('daily.data.water.created');
export const past = defineWithoutOrigin('historical.data.steps.created');
export const critical = defineWithoutOrigin('labtest.result.critical');
