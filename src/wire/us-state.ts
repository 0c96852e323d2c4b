/**
 * Two-letter codes of the United States Postal Service: states, the District of Columbia, territories, freely
 * associated states and military addresses.
 */
export const US_STATES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND ' +
    'OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI AS MP FM MH PW AA AE AP'
  ).split(' '),
);

export const isUsState = (text: string): boolean => US_STATES.has(text);
