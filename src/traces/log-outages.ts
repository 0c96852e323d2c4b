import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../log.ts';

/** Logs once when the collector takes no spans, and once when it takes them again. */
export function logOutages(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !isAway) log.warn({ err: result.error }, 'the collector takes no traces, and they are lost');
        if (!hasFailed && isAway) log.info('the collector takes traces again');
        isAway = hasFailed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
