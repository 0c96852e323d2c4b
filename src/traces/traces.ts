// What the service tells a collector of traces (OpenTelemetry). `open-traces.ts` opens it if the option is set.

/**
 * Attributes of a span. They are names of operations, tables and jobs, statuses, numbers, and ids that we made. They
 * are never a value of a caller, a parameter of a statement, or a part of a URL.
 */
export type Attributes = Record<string, string | number>;

/** A span that has begun. */
export type OpenSpan = {
  /** Runs `work`. Spans that begin meanwhile are children of this one. */
  within: <T>(work: () => T) => T;
  /** Ends the span once. `failure` is the kind of an error, never its message, which can quote data. */
  end: (attributes?: Attributes, failure?: string | null) => void;
};

export type Traces = {
  /** Begins the span of a request. It continues the trace of the header `traceparent`, if the client sent one. */
  beginRequest: (operation: string, traceparent: string | null, attributes: Attributes) => OpenSpan;
  /** Begins the span of a statement, in a running request or job. Returns null outside of them. */
  beginStatement: (sql: string) => OpenSpan | null;
  /** Notes an event that is published. Its trace has the id of the event, and links to the span that published it. */
  notePublished: (eventId: string, eventType: string) => void;
  /** Begins the span of a delivery attempt, in the trace of its event. */
  beginAttempt: (eventId: string, attributes: Attributes) => OpenSpan;
  /** Runs a background job in a span. */
  runJob: (name: string, work: () => Promise<void>) => Promise<void>;
  /** Sends what waits, for at most some seconds. */
  close: () => Promise<void>;
};
