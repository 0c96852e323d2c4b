import type { ConnectedProvider } from '../connected-provider.ts';
import { connector } from './connect.ts';
import { importer } from './import.ts';
import { notifier } from './notify.ts';
import { subscriber } from './subscribe.ts';

export const withings: ConnectedProvider = { connector, importer, notifier, userSubscriber: subscriber };
