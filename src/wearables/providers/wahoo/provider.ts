import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';
import { notificationReader } from './notifications.ts';

export const wahoo: ConnectedProvider = { connector, importer, notificationReader };
