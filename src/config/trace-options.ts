import { httpAddress, orNull, whole } from './option-kinds.ts';

export const TRACE_OPTIONS = {
  PHIAL_OTLP_URL: {
    default: '',
    read: orNull(httpAddress),
    meaning:
      'Address of a collector that takes OpenTelemetry traces over HTTP, as http://127.0.0.1:4318. /v1/traces is ' +
      'added to it; empty: no traces.',
  },
  PHIAL_TRACE_PERCENT: {
    default: '100',
    read: whole(1, 100),
    meaning:
      'Share of the traces that are sent, in percent (1 to 100). A client that sends traceparent decides itself.',
  },
};
