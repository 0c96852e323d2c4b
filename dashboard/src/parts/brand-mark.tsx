/** The sign of Phial: a vial, half full. */
export function BrandMark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable={false}>
      <rect width="32" height="32" rx="8" fill="#1f7073" />
      <path
        d="M12 7h8M13.5 7v15a2.5 2.5 0 0 0 5 0V7"
        fill="none"
        stroke="#fff"
        strokeWidth="2.2"
        strokeLinecap="round"
      />
      <path d="M14.6 15.5h2.8V22a1.4 1.4 0 0 1-2.8 0z" fill="#9fe3d6" />
    </svg>
  );
}
