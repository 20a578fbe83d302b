const PATHS = {
  overview: "M3 12h4l3-8 4 16 3-8h4",
  runs: "M6 4.5v15l13-7.5z",
  frontier: "M4 6h16M4 12h11M4 18h6",
  domains:
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3.5 9h17M3.5 15h17M12 3c-5 5.5-5 12.5 0 18M12 3c5 5.5 5 12.5 0 18",
  sources: "M4 6.5 12 3l8 3.5-8 3.5zM4 12l8 3.5 8-3.5M4 17.5 12 21l8-3.5",
  jobs: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3.5 2",
  scheduler: "M4 5h16v15H4zM4 10h16M9 3v4M15 3v4M9 10v10M15 10v10M4 15h16",
  feeds: "M5 19h.01M5 12.5a6.5 6.5 0 0 1 6.5 6.5M5 5.5A13.5 13.5 0 0 1 18.5 19",
  tasks: "M4 12h4l1.5 3h5L16 12h4M4 12l3-7h10l3 7v7H4z",
  webhooks: "M4 6h16v10h-7l-5 4v-4H4zM8 11h8",
  pages: "M6 3h8l4.5 4.5V21H6zM14 3v5h4.5M9 12.5h6M9 16.5h6",
  urls: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.5M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.5",
  duplicates: "M8 8h12v12H8zM4 16V4h12",
  items: "M4 8.5 12 4l8 4.5v7L12 20l-8-4.5zM4 8.5l8 4.5 8-4.5M12 13v7",
  products: "M4 4h7.5L20 12.5 12.5 20 4 11.5zM8 8h.01",
  articles: "M4 5h16v14H4zM7 9h6M7 12.5h10M7 16h10",
  parsers: "M8 5 3 12l5 7M16 5l5 7-5 7M13.5 4l-3 16",
  quality: "M4 20V10M10 20V4M16 20v-7M20 20H3M14 9l3 3 4-5",
  errors: "M12 4 2.5 20h19zM12 10v4.5M12 17.5h.01",
  changes: "M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5",
  visits: "M5 5h.01M9 5h10M5 12h.01M9 12h10M5 19h.01M9 19h10",
  workers:
    "M8 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 11a3 3 0 1 0-1-5.8M17 14.2c3 .4 5 2.7 5 5.8",
  exports: "M12 3v12M7 10l5 5 5-5M4 20h16",
  links: "M7 17 17 7M9 7h8v8",
  users: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 21c0-4.5 3.5-7 8-7s8 2.5 8 7",
  audit: "M12 3 5 6v5c0 4.5 3 8 7 10 4-2 7-5.5 7-10V6zM9 12l2 2 4-4",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4.5v5M6.5 14.5v5",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20.5 20.5 16 16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  plus: "M12 5v14M5 12h14",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  leave: "M10 4H5v16h5M15 8l4 4-4 4M19 12H9",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, className = "size-[1.15rem]" }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 3 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark({ className = "size-7" }: { className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2.6}
      strokeLinecap="round"
      className={className}
    >
      <path d="M4 5h16" />
      <path d="M12 5v9.5a4.5 4.5 0 0 1-9 0" />
      <path d="M12 10.5a4.5 4.5 0 0 0 8.6 1.8" />
    </svg>
  );
}
