/**
 * The source of a workout or sleep that a person typed in (record 169): no device has measured it. The kind alone would not
 * tell, where what an app has recorded is an app's as well.
 */
export const BY_HAND = { source_type: 'app', app_id: 'manual' } as const;
