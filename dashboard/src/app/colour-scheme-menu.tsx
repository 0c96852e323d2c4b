import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { CheckIcon, MoonIcon, ScreenIcon, SunIcon } from '../parts/icons.tsx';

const SCHEMES = [
  { value: 'light', label: 'Light', Icon: SunIcon },
  { value: 'dark', label: 'Dark', Icon: MoonIcon },
  { value: 'auto', label: 'As the system', Icon: ScreenIcon },
] as const;

export function ColourSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { Icon: Current, label: chosen } = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[2];
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Colours: ${chosen}`}>
          <Current size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            rightSection={value === colorScheme ? <CheckIcon size={16} /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
