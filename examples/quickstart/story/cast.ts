import type { Credentials } from '../credentials.ts';
import type { Endpoint, OrderMessage } from '../endpoint.ts';
import type { Service } from '../service.ts';
import type { Timeline } from '../timeline.ts';

/** The objects that every chapter uses. */
export type Cast = { credentials: Credentials; service: Service; endpoint: Endpoint; timeline: Timeline };

export type User = { user_id: string; client_user_id: string; created_on: string };
export type Order = OrderMessage['data'] & { user_id: string; sample_id: string; interpretation: string | null };
export type OrderAnswer = { order: Order; status: string };
export type Refusal = { code: string; detail: unknown };
