import type { ReactNode } from "react";
import { reveal } from "../format/text";
import { Mark } from "./icons";

/** The frame of the screens for users who are not logged in. */
export function LoginFrame({
  title,
  intro,
  error,
  children,
}: {
  title: string;
  intro?: ReactNode;
  error?: Error | null;
  children: ReactNode;
}) {
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <title>{`${title} · Tenax`}</title>
      <div className="w-full max-w-sm">
        <p className="mb-7 flex items-center gap-2.5 text-xl font-semibold tracking-tight">
          <Mark className="size-7 text-accent" />
          tenax
        </p>
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {intro && <div className="mt-2 text-quiet">{intro}</div>}
        <div className="mt-5">{children}</div>
        <p role="alert" className="mt-4 min-h-10 text-bad">
          {error && reveal(error.message)}
        </p>
      </div>
    </main>
  );
}
