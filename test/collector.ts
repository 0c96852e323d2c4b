// A collector of traces: it takes OTLP over HTTP and decodes what arrives.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Attribute = { key: string; value: Value };
type Ids = { traceId: string; spanId: string };
type Sent = Ids & {
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  links: Ids[];
  status: { code: number };
};
type ExportRequest = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Sent[] }[] }[];
};

export type CollectedSpan = Ids & {
  parentSpanId: string | null;
  name: string;
  kind: string;
  attributes: Record<string, string | number>;
  links: Ids[];
  hasFailed: boolean;
  durationMs: number;
  resource: Record<string, string | number>;
};

export type Collector = {
  url: string;
  spans: CollectedSpan[];
  /** The texts of the requests, as they arrived. */
  received: string[];
  headers: Record<string, unknown>[];
  /** From now on it answers with this status. */
  answer: (status: number) => void;
  close: () => Promise<void>;
};

/** The kinds of spans by their number (opentelemetry-proto, trace.proto). */
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

const valueOf = ({ stringValue, intValue, doubleValue }: Value): string | number =>
  stringValue ?? Number(intValue ?? doubleValue);
const flat = (attributes: Attribute[]): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

function decode(text: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(text) as ExportRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? null,
        name: span.name,
        kind: KINDS[span.kind] as string,
        attributes: flat(span.attributes),
        links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
        hasFailed: span.status.code === 2,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        resource: flat(resource.attributes),
      })),
    ),
  );
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const received: string[] = [];
  const headers: Record<string, unknown>[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end();
      received.push(text);
      headers.push(request.headers);
      if (status === 200) spans.push(...decode(text));
      return response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received,
    headers,
    answer: (next) => {
      status = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
