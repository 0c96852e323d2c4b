// Parses a FIT file of any type: workouts, data that a watch records all day, weights, blood pressures and nights.
import type { Sink } from '../parsed-line.ts';
import { sourceTypeOf } from '../source-type.ts';
import { putHealth } from './health.ts';
import { countLeftOut } from './count-left-out.ts';
import { filesOf, makerOf, type Messages } from './fit-messages.ts';
import { putMonitoring } from './monitoring.ts';
import { putSleep } from './put-sleep.ts';
import { putWorkouts } from './workouts.ts';

/** Parses the file. Throws file_incomplete if its end is missing, and file_broken if its checksum is wrong. */
export async function parseFit(bytes: Buffer, sink: Sink): Promise<void> {
  for await (const messages of filesOf(bytes)) {
    putFile(messages, sink);
    await sink.flush(0.5);
  }
}

function putFile(messages: Messages, sink: Sink): void {
  let found = 0;
  const counting: Sink = {
    ...sink,
    sample: (sample) => {
      found += 1;
      sink.sample(sample);
    },
    summary: (summary) => {
      found += 1;
      sink.summary(summary);
    },
  };
  const { maker, provider } = makerOf(messages);
  const source = { provider, source_type: sourceTypeOf({ device: maker.toLowerCase() }), timezone_offset: null };
  const hasWorkouts = putWorkouts(messages, counting);
  putMonitoring(messages, source, counting);
  putHealth(messages, source, counting);
  putSleep(messages, source, counting);
  countLeftOut(messages, { hasWorkouts, isNothing: found === 0 }, sink);
}
