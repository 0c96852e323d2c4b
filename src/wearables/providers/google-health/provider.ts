import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';
import { notificationReader } from './notifications.ts';

/**
 * The operator subscribes by hand. A subscriber belongs to a Google Cloud project and does not expire. The
 * application's secret does not allow us to make one.
 */
export const googleHealth: ConnectedProvider = { connector, importer, notificationReader };
