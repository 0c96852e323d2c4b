// What there is to know of a provider without asking it.

/** How a user connects it: at the provider's own page, by its password or e-mail, through an app on the phone, or not at all. */
export type ProviderAuth = 'oauth' | 'password' | 'email' | 'sdk' | '';

/** What it is: a device with an account, an app, a device that a phone reads, or the person. */
type ProviderKind = 'device' | 'app' | 'ble' | 'provider';

/** Kinds of devices that are not worn on the wrist. */
type Device =
  | 'ring'
  | 'scale'
  | 'exercise_machine'
  | 'fingerprick'
  | 'automatic'
  | 'insulin_pump'
  | 'phone'
  | 'app'
  | 'multiple_sources'
  | 'unknown';

export type ProviderFacts = {
  name: string;
  /** A sentence for people. */
  description: string;
  auth_type: ProviderAuth;
  source_type: ProviderKind;
  /** What data of it can be, as events name it: what its importer brings, and of others what their devices are known for. */
  resources: readonly string[];
  /** Days of the past that a new connection brings. */
  history_days: number;
  /** What demo connections say that its data is measured by; left out, a watch. */
  device?: Device;
  /** Scopes that a team may choose from, beside those that the connector asks for. */
  scopes_to_choose?: readonly string[];
};

/** Of a provider that the service can connect. */
export type ConnectedFacts = ProviderFacts & {
  /** The operator's application at the provider, as options name it: PHIAL_<SLUG>_CLIENT_ID and those that belong to it. */
  application: {
    /** The provider, as the meanings of options name it. */
    at: string;
    /** An operator may create the subscription by hand, and say its id. */
    subscription_id?: true;
  };
};
