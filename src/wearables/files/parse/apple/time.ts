/** Parses a text like `2026-01-05 07:30:00 -0700` into milliseconds since 1970 and seconds east of UTC. */
export function momentOf(text: string | undefined): { at: number; offset: number } | null {
  if (text?.length !== 25) return null;
  const [sign, hours, minutes] = [text[20], text.slice(21, 23), text.slice(23)];
  const at = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}${sign}${hours}:${minutes}`);
  if (Number.isNaN(at)) return null;
  const offset = Number(hours) * 3_600 + Number(minutes) * 60;
  return { at, offset: sign === '-' ? -offset : offset };
}
