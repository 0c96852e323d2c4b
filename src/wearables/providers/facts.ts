// The static facts about a provider.

/**
 * How a user connects the provider: at the provider's own page, with a password or e-mail address, through an app on
 * the phone, or not at all.
 */
export type ProviderAuth = 'oauth' | 'password' | 'email' | 'sdk' | '';

/** The kind of source: a device with an account, an app, a device that a phone reads, or the person. */
type ProviderKind = 'device' | 'app' | 'ble' | 'provider';

/** The kinds of devices that people do not wear on the wrist. */
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
  /** One sentence for people. */
  description: string;
  auth_type: ProviderAuth;
  source_type: ProviderKind;
  /**
   * The resources of the provider's data, by their names in events. For a provider that we connect, these are the
   * resources of its importer. For other providers, these are the resources for which its devices are known.
   */
  resources: readonly string[];
  /** The number of days of the past that a new connection imports. */
  history_days: number;
  /** The device that demo data names as its source. If it is missing, this is a watch. */
  device?: Device;
  /** The scopes that a team may choose in addition to those of the connector. */
  scopes_to_choose?: readonly string[];
};

/** The facts about a provider that Phial can connect. */
export type ConnectedFacts = ProviderFacts & {
  /**
   * The operator's application at the provider. These facts define the option PHIAL_<SLUG>_CLIENT_ID and the options
   * that belong to it.
   */
  application: {
    /** The name of the provider in the descriptions of options. */
    at: string;
    /** Set if an operator may create the subscription by hand and set its id. */
    subscription_id?: true;
  };
};
