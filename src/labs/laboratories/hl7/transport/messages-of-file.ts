/**
 * The messages of a file: one, or several one after the other, with the frames of MLLP or a batch's header and trailer
 * around them or not. None where it begins with something else: it is no file of messages.
 */
export function withoutFraming(bytes: Buffer): Buffer[] {
  const text = bytes
    .toString('latin1')
    .replaceAll(/(?![\n\r\t])\p{Cc}/gu, (control) => (control < '\u0020' ? '' : control))
    .replace(/^\u00EF\u00BB\u00BF/, '')
    .trimStart();
  if (!/^(MSH|FHS|BHS)/.test(text)) return [];
  return text
    .split(/(?<=[\r\n])(?=MSH)/)
    .map((message) => message.replaceAll(/^(FHS|BHS|BTS|FTS).*$(\r\n|\r|\n)?/gm, ''))
    .filter((message) => message.trim() !== '')
    .map((message) => Buffer.from(message, 'latin1'));
}
