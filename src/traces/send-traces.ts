// Loaded only if the option is set: this file imports the packages of OpenTelemetry.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span, type SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { kindOfError, type Logger } from '../log.ts';
import { logOutages } from './log-outages.ts';
import { statementName } from './statement-name.ts';
import type { Attributes, OpenSpan, Traces } from './traces.ts';

/** The spans that may wait to be sent. Further ones are dropped, so a collector that is away costs no more memory. */
const MAX_WAITING = 8_192;
const MAX_NAMES = 2_000;
const SEND_MS = 5_000;
const CLOSE_MS = 2_000;

type Ids = { traceId: string; spanId: string };

/** Begins to send traces to the collector. `about` describes this process. */
export function sendTraces(
  { url, percent }: { url: string; percent: number },
  { about, version, log }: { about: Attributes; version: string; log: Logger },
): Traces {
  const sampler = new TraceIdRatioBasedSampler(percent / 100);
  const ids = new GivenIds();
  const exporter = logOutages(new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: SEND_MS }), log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes(about),
    sampler: new ParentBasedSampler({ root: sampler }),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING })],
  });
  const tracer = provider.getTracer('phial', version);
  const running = new AsyncLocalStorage<Span>();
  const nameOf = rememberNames();
  const opened = (span: Span): OpenSpan => ({
    within: (work) => running.run(span, work),
    end: (attributes = {}, failure = null) => endSpan(span, attributes, failure),
  });
  const begin = (name: string, kind: SpanKind, attributes: Attributes, parent?: SpanContext | null): OpenSpan =>
    opened(
      tracer.startSpan(name, { kind, attributes }, parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT),
    );

  return {
    beginRequest: (operation, traceparent, attributes) => {
      const parent = traceparent === null ? null : parseTraceParent(traceparent);
      return begin(operation, SpanKind.SERVER, attributes, parent && { ...parent, isRemote: true });
    },
    beginStatement: (sql) => {
      const parent = running.getStore();
      if (!parent?.isRecording()) return null;
      const name = nameOf(sql);
      const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
      return begin(name, SpanKind.CLIENT, attributes, parent.spanContext());
    },
    notePublished: (eventId, eventType) => {
      const publisher = running.getStore();
      const attributes = { 'phial.event_type': eventType };
      const links = publisher ? [{ context: publisher.spanContext() }] : [];
      const span = ids.give(idsOf(eventId), () =>
        tracer.startSpan('publish', { kind: SpanKind.PRODUCER, attributes, links }, ROOT_CONTEXT),
      );
      publisher?.addLink({ context: span.spanContext() });
      span.end();
    },
    beginAttempt: (eventId, attributes) => {
      const parent = idsOf(eventId);
      // The id decides, and so every process decides alike.
      const isSampled =
        sampler.shouldSample(ROOT_CONTEXT, parent.traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
      return begin('deliver', SpanKind.CLIENT, attributes, {
        ...parent,
        traceFlags: Number(isSampled),
        isRemote: true,
      });
    },
    runJob: async (name, work) => {
      const span = begin(name, SpanKind.INTERNAL, {});
      try {
        await span.within(work);
        span.end();
      } catch (error) {
        span.end({}, kindOfError(error));
        throw error;
      }
    },
    // A collector that is away must not delay the stop. Its outage is in the log.
    close: () => Promise.race([provider.shutdown().catch(() => undefined), wait(CLOSE_MS, undefined, { ref: false })]),
  };
}

function endSpan(span: Span, attributes: Attributes, failure: string | null): void {
  if (!span.isRecording()) return;
  span.setAttributes(attributes);
  if (failure !== null) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Makes random ids, except for a span that is begun within `give`. */
class GivenIds {
  readonly #random = new RandomIdGenerator();
  #given: Ids | null = null;

  give<T>(ids: Ids, work: () => T): T {
    this.#given = ids;
    try {
      return work();
    } finally {
      this.#given = null;
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId();
  }
}

/** An event id is a UUID. The trace of an event has its 16 bytes as id, so that nobody has to store a trace id. */
function idsOf(eventId: string): Ids {
  const traceId = eventId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
}

/** Returns `statementName`, which remembers the names of statements: there are some hundreds of them. */
function rememberNames(): (sql: string) => string {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const name = statementName(sql);
    if (names.size < MAX_NAMES) names.set(sql, name);
    return name;
  };
}
