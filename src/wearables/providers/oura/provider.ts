import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';
import { notificationReader } from './notifications.ts';
import { subscriber } from './subscribe.ts';

export const oura: ConnectedProvider = { connector, importer, notificationReader, applicationSubscriber: subscriber };
