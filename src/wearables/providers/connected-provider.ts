import type { Connector } from './connector.ts';
import type { Importer } from './importer.ts';
import type { NotificationReader } from './notification-reader.ts';
import type { ApplicationSubscriber, UserSubscriber } from './subscriber.ts';

/** A provider that Phial connects directly. The provider's folder has a file for each member. */
export type ConnectedProvider = {
  connector: Connector;
  importer: Importer;
  /** Missing if the provider sends no notifications. Then polls bring the data. */
  notificationReader?: NotificationReader;
  /** Subscribes to the provider's notifications. Missing if an operator has to subscribe by hand. */
  applicationSubscriber?: ApplicationSubscriber;
  userSubscriber?: UserSubscriber;
};
