// The facts about a provider that are the same in every deployment.

/**
 * How a user connects the provider: at the provider's own page (`oauth`), with a password or an e-mail address, through
 * an app on the phone (`sdk`), or not at all (empty).
 */
export type ProviderAuth = 'oauth' | 'password' | 'email' | 'sdk' | '';

/**
 * The kind of source: a device with an account, an app, a device that a phone reads by Bluetooth (`ble`), or the
 * person.
 */
type ProviderKind = 'device' | 'app' | 'ble' | 'provider';

/** The kinds of devices other than watches. */
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
  /** One sentence about the provider, for people. */
  description: string;
  auth_type: ProviderAuth;
  source_type: ProviderKind;
  /**
   * The resources of the provider's data, as events name them. For a provider that we connect, these are the resources
   * of its importer. For another provider, these are the resources that its devices are known to measure.
   */
  resources: readonly string[];
  /** The number of days of the past that a new connection imports. */
  history_days: number;
  /** The device that demo data names as its source. Missing means a watch. */
  device?: Device;
  /** The scopes that a team may choose in addition to those of the connector. */
  scopes_to_choose?: readonly string[];
};

/** The facts about a provider that Phial can connect. */
export type ConnectedFacts = ProviderFacts & {
  /**
   * The operator's application at the provider. The option PHIAL_<SLUG>_CLIENT_ID and related options, such as the
   * secret, are made from these fields.
   */
  application: {
    /** Where the operator registers the application, for the descriptions of the options. */
    at: string;
    /** Set if the operator may make the subscription by hand and set its id as an option. */
    subscription_id?: true;
  };
};
