/**
 * uPlot makes a number format of the browser's language while it is loaded, and throws if that is no language tag, such
 * as `en-US@posix` of a browser without a language. Call it before a page with a chart is loaded.
 */
export function ensureValidLanguage(): void {
  try {
    Intl.NumberFormat.supportedLocalesOf(navigator.language);
  } catch {
    const { locale } = new Intl.NumberFormat().resolvedOptions();
    Object.defineProperty(navigator, 'language', { value: locale, configurable: true });
  }
}
