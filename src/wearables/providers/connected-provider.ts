import type { Connector } from './connector.ts';
import type { Importer } from './importer.ts';
import type { NotificationReader } from './notification-reader.ts';
import type { ApplicationSubscriber, UserSubscriber } from './subscriber.ts';

/** A provider that Phial can connect directly. The provider's folder has a file for each of these parts. */
export type ConnectedProvider = {
  connector: Connector;
  importer: Importer;
  /** If this is missing, the provider sends no notifications, and we poll it. */
  notificationReader?: NotificationReader;
  /** Subscribes to the provider's notifications. If this is missing, an operator subscribes by hand. */
  applicationSubscriber?: ApplicationSubscriber;
  userSubscriber?: UserSubscriber;
};
