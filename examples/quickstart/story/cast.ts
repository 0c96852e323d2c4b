import type { components } from '@phial/client';
import type { Credentials } from '../credentials.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Service } from '../service.ts';
import type { Timeline } from '../timeline.ts';

/** The objects that every chapter uses. */
export type Cast = { credentials: Credentials; service: Service; endpoint: Endpoint; timeline: Timeline };

export type User = components['schemas']['User'];
export type Order = components['schemas']['Order'];
