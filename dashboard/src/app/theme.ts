import {
  createTheme,
  Drawer,
  Modal,
  MultiSelect,
  Select,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

/** From the lightest to the darkest. White text on shade 7 has a contrast of 5.9. */
const glass: MantineColorsTuple = [
  '#eef8f8',
  '#d9eeee',
  '#b0dddd',
  '#83cbcb',
  '#5fbaba',
  '#3fa3a4',
  '#2b8a8c',
  '#1f7073',
  '#185a5d',
  '#0f4346',
];

/** The header of a dialogue is not that of the page. */
const dialogue = { closeButtonProps: { 'aria-label': 'Close' }, attributes: { header: { role: 'presentation' } } };

export const theme = createTheme({
  colors: { glass },
  primaryColor: 'glass',
  primaryShade: 7,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.1875rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Drawer: Drawer.extend({ defaultProps: dialogue }),
    Modal: Modal.extend({ defaultProps: dialogue }),
    // The first field of a dialogue gets the focus, and its list would cover the buttons.
    MultiSelect: MultiSelect.extend({ defaultProps: { openOnFocus: false } }),
    Select: Select.extend({ defaultProps: { openOnFocus: false } }),
  },
});

/** Mantine's own greys and light variants have less contrast than WCAG AA asks of text (4.5). */
export const cssVariables: CSSVariablesResolver = ({ colors }) => {
  const shadeOf = (shade: number): Record<string, string> =>
    Object.fromEntries(
      Object.entries(colors).map(([name, shades]) => [`--mantine-color-${name}-light-color`, shades[shade] as string]),
    );
  return {
    variables: {},
    light: {
      ...shadeOf(9),
      '--mantine-color-dimmed': '#57606a',
      '--mantine-color-placeholder': '#6b747d',
      '--mantine-color-error': '#b42332',
      '--mantine-color-anchor': glass[7],
      '--mantine-color-body': '#ffffff',
      '--ground': '#f6f7f8',
    },
    dark: {
      ...shadeOf(2),
      '--mantine-color-dimmed': '#a2aab3',
      '--mantine-color-placeholder': '#8f98a1',
      '--mantine-color-error': '#ff9aa2',
      '--mantine-color-anchor': glass[3],
      '--mantine-color-body': '#1f2328',
      '--mantine-color-text': '#dfe3e7',
      '--mantine-color-default': '#24292f',
      '--mantine-color-default-border': '#373e47',
      '--ground': '#16191d',
    },
  };
};
