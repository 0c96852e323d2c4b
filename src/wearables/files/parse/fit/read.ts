// A FIT file of any kind: workouts, what a watch notes all day, scales, cuffs and nights.
import type { Sink } from '../record.ts';
import { sourceTypeOf } from '../source-type.ts';
import { putHealth } from './health.ts';
import { countLeftOut } from './left-out.ts';
import { filesOf, makerOf, type Messages } from './messages.ts';
import { putMonitoring } from './monitoring.ts';
import { putSleep } from './sleep.ts';
import { putWorkouts } from './workouts.ts';

/** Throws file_incomplete where the file ends before its end, file_broken where its checksum is not that of its bytes. */
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
