// Passes on the night of a FIT file. Each sleep level lasts until the next one begins.
import { ownProperty } from '../../../../wire/own-property.ts';
import { nightOf, type Stage } from '../night.ts';
import type { ParsedSample, Sink } from '../parsed-line.ts';
import { at, number, text, type Messages } from './fit-messages.ts';

type Source = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'>;

const STAGES: Record<string, number> = { unmeasurable: -1, awake: 4, light: 2, deep: 1, rem: 3 };

export function putSleep(messages: Messages, source: Source, sink: Sink): void {
  const levels = (messages['sleep_level'] ?? []).flatMap((message) => {
    const [moment, stage] = [at(message['timestamp']), ownProperty(STAGES, text(message['sleep_level']))];
    return moment === undefined || stage === undefined ? [] : [{ moment, stage }];
  });
  levels.sort((a, b) => a.moment - b.moment);
  const stages: Stage[] = levels.flatMap(({ moment, stage }, n) => {
    const next = levels[n + 1];
    return next === undefined || next.moment === moment ? [] : [{ start: moment, end: next.moment, stage }];
  });
  if (levels.length === 0) return;
  const night = nightOf(stages, source, {
    score: number(messages['sleep_assessment']?.[0]?.['overall_sleep_score']),
    average_hrv: number(messages['hrv_status_summary']?.[0]?.['last_night_average']),
  });
  if (night) sink.summary(night);
  else sink.skip('sleep_level', 'empty', levels.length);
}
