import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';
import { notificationReader } from './notifications.ts';

/**
 * The operator subscribes by hand, because the application's secret does not allow us to do so. A subscriber (Google's
 * word for a subscription) belongs to a Google Cloud project and does not expire.
 */
export const googleHealth: ConnectedProvider = { connector, importer, notificationReader };
