import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';
import { notificationReader } from './notifications.ts';

export const whoopV2: ConnectedProvider = { connector, importer, notificationReader };
