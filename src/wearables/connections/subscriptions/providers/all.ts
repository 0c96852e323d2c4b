import type { ApplicationSubscriber, UserSubscriber } from '../subscriber.ts';
import { oura } from './oura.ts';
import { strava } from './strava.ts';
import { withings } from './withings.ts';

/**
 * Providers that are subscribed to by the service. Google Health is by its operator: a subscriber belongs to a project of
 * Google Cloud and is made in its name, for which the application's secret is not enough, and does not end.
 */
export const APPLICATION_SUBSCRIBERS: readonly ApplicationSubscriber[] = [oura, strava];

const USER_SUBSCRIBERS: readonly UserSubscriber[] = [withings];

export const userSubscriberOrNull = (provider: string): UserSubscriber | null =>
  USER_SUBSCRIBERS.find((subscriber) => subscriber.provider === provider) ?? null;
