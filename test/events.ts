import { Type } from 'typebox';
import { defineEvent, type EventType } from '../src/events/define.ts';

/** What invented events say, where that matters to a test at all. */
const data = Type.Object({ n: Type.Optional(Type.Integer()), s: Type.Optional(Type.String()) });
/** Of no data that came anyhow. */
const told = (name: string): EventType<typeof data> => ({
  ...defineEvent({ name, summary: '', data }),
  bearsOrigin: false,
});

export const steps = told('daily.data.steps.created');
export const sleep = told('daily.data.sleep.created');
export const glucose = told('daily.data.glucose.created');
export const water = told('daily.data.water.created');
export const past = told('historical.data.steps.created');
export const critical = told('labtest.result.critical');
