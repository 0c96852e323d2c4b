// Own drawings on a grid of 24: a library of icons would be a dependency for some dozen paths.
import type { ReactNode, SVGProps } from 'react';

type IconProps = SVGProps<SVGSVGElement> & { size?: number };
export type Icon = (props: IconProps) => ReactNode;

const drawn = (paths: string): Icon =>
  function Drawing({ size = 20, ...props }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.7}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden
        focusable={false}
        {...props}
      >
        <path d={paths} />
      </svg>
    );
  };

export const OverviewIcon = drawn('M4 4h7v9H4zM13 4h7v5h-7zM13 12h7v8h-7zM4 16h7v4H4z');
export const OrdersIcon = drawn('M8 3h8M9.5 3v14.5a2.5 2.5 0 0 0 5 0V3M9.5 12h5');
export const CriticalIcon = drawn('M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2v.1');
export const AppointmentsIcon = drawn('M4 6h16v14H4zM4 10h16M8 3v5M16 3v5M8 14h3M13 14h3');
export const UsersIcon = drawn(
  'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
);
export const WebhooksIcon = drawn('M21 3 10 14M21 3l-6.5 18-4.5-7-7-4.5z');
export const EventsIcon = drawn('M3 12h4l3-8 4 16 3-8h4');
export const LaboratoriesIcon = drawn('M9 3h6M10 3v6L4.6 18.2A2 2 0 0 0 6.3 21h11.4a2 2 0 0 0 1.7-2.8L14 9V3M7.5 15h9');
export const CatalogueIcon = drawn('M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h10M9 8h5');
export const ConnectionsIcon = drawn(
  'M9 15l6-6M10.5 6.5l1-1a4.2 4.2 0 0 1 6 6l-1 1M13.5 17.5l-1 1a4.2 4.2 0 0 1-6-6l1-1',
);
export const SettingsIcon = drawn(
  'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4M9 19.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4',
);
export const SunIcon = drawn(
  'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
);
export const MoonIcon = drawn('M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5');
export const ScreenIcon = drawn('M3 5h18v11H3zM9 20h6M12 16v4');
export const SignOutIcon = drawn('M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M10 12h11M17.5 8.5 21 12l-3.5 3.5');
export const CopyIcon = drawn('M9 9h11v11H9zM15 9V4H4v11h5');
export const CheckIcon = drawn('m5 12.5 4.5 4.5L19 7.5');
export const CloseIcon = drawn('M6 6l12 12M18 6 6 18');
export const ChevronDownIcon = drawn('m6 9 6 6 6-6');
export const ChevronRightIcon = drawn('m9 6 6 6-6 6');
export const ChevronLeftIcon = drawn('m15 6-6 6 6 6');
export const ChevronUpIcon = drawn('m6 15 6-6 6 6');
export const SearchIcon = drawn('M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13M15.5 15.5 20 20');
export const RefreshIcon = drawn('M20 11a8 8 0 1 0-2.3 6.6M20 4v7h-7');
export const PersonIcon = drawn('M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5a7.5 7.5 0 0 1 15 0');
export const MailIcon = drawn('M3 6h18v12H3zM3.5 6.5 12 13l8.5-6.5');
