import type { Connector } from './connector.ts';
import type { Importer } from './importer.ts';
import type { Notifier } from './notifier.ts';
import type { ApplicationSubscriber, UserSubscriber } from './subscriber.ts';

/** A provider that the service can connect by itself. Its folder has a file for each of these. */
export type ConnectedProvider = {
  connector: Connector;
  importer: Importer;
  /** Left out: it sends no notifications, and is polled. */
  notifier?: Notifier;
  /** Where the service subscribes to its notifications; left out, an operator does. */
  applicationSubscriber?: ApplicationSubscriber;
  userSubscriber?: UserSubscriber;
};
