/**
 * Returns true for a National Provider Identifier. Its Luhn check digit is over the prefix 80840 and the ten digits, as
 * CMS defines it.
 */
export function isNpi(text: string): boolean {
  if (!/^\d{10}$/.test(text)) return false;
  const sum = [...`80840${text}`].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
