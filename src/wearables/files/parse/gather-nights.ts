// Collects nights whose stages are in another table. Passes them on after both tables have been read.
import { nightOf } from './night.ts';
import type { ParsedSample, Sink } from './parsed-line.ts';

type Source = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'>;
type Night = { source: Source; start: number; end: number; said: Record<string, unknown> };

/** More nights than a person can record. */
const MAX_NIGHTS = 30_000;
const MAX_STAGES = 2_880;

export function gatherNights(sink: Sink, type: string) {
  const nights = new Map<string, Night>();
  const stages = new Map<string, number[]>();
  return {
    addNight: (id: string, night: Night): void => {
      if (nights.size >= MAX_NIGHTS) sink.skip(type, 'impossible');
      else nights.set(id, night);
    },
    addStage: (id: string, start: number, end: number, stage: number): void => {
      const known = stages.get(id) ?? [];
      if (stages.size >= MAX_NIGHTS || known.length >= MAX_STAGES * 3) return sink.skip(type, 'impossible');
      stages.set(id, known);
      known.push(start, end, stage);
      return undefined;
    },
    /**
     * Passes the nights on. A night without stages becomes unclassified sleep from its start to its end. Empty nights
     * count as skipped.
     */
    end: async (): Promise<void> => {
      for (const [id, { source, start, end, said }] of nights) {
        const parts = stages.get(id) ?? [];
        const stageSpans = Array.from({ length: parts.length / 3 }, (_, n) => ({
          start: parts[n * 3] as number,
          end: parts[n * 3 + 1] as number,
          stage: parts[n * 3 + 2] as number,
        }));
        const summary = nightOf(stageSpans.length > 0 ? stageSpans : [{ start, end, stage: -1 }], source, {
          start,
          end,
          ...said,
        });
        if (summary) sink.summary(summary);
        else sink.skip(type, 'empty');
        await sink.flush(1);
      }
    },
  };
}
