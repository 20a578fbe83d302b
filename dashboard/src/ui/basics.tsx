import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Problem } from "../api/client";

export type Tone = "ok" | "warn" | "bad" | "rest" | "accent" | "quiet";

export function Badge({
  tone,
  children,
  title,
}: {
  tone: Tone;
  children: ReactNode;
  title?: string | undefined;
}) {
  return (
    <span
      title={title}
      className={`tone-${tone} toned inline-flex h-[1.4rem] items-center gap-1.5 rounded-full border px-2 text-2xs font-medium whitespace-nowrap`}
    >
      {children}
    </span>
  );
}

export function Dot({ tone, isBreathing = false }: { tone: Tone; isBreathing?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={`tone-${tone} dot inline-block size-2 shrink-0 rounded-full ${isBreathing ? "breathing" : ""}`}
    />
  );
}

const KINDS = {
  primary: "bg-accent text-on-accent border-transparent hover:brightness-95",
  plain: "bg-panel text-ink border-edge hover:bg-sunken",
  quiet: "bg-transparent text-quiet border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-panel text-bad border-edge hover:bg-sunken",
} as const;

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: keyof typeof KINDS;
  /** For table rows. */
  isSmall?: boolean;
};

export function buttonClass(kind: keyof typeof KINDS = "plain", isSmall = false): string {
  const size = isSmall ? "h-7.5 px-2 text-xs" : "h-9 px-3";
  return `inline-flex ${size} items-center justify-center gap-1.5 rounded-[7px] border font-medium whitespace-nowrap transition-colors disabled:opacity-55 ${KINDS[kind]}`;
}

export function Button({
  kind = "plain",
  isSmall = false,
  className = "",
  type = "button",
  ...rest
}: ButtonProps) {
  return <button type={type} className={`${buttonClass(kind, isSmall)} ${className}`} {...rest} />;
}

export function Panel({
  title,
  aside,
  children,
  className = "",
}: {
  title?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={`panel min-w-0 ${className}`}>
      {title !== undefined && (
        <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 pt-2.5 pb-1.5">
          <h2 className="font-semibold">{title}</h2>
          {aside !== undefined && <div className="text-quiet text-xs">{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export function Skeleton({ className = "" }: { className?: string }) {
  return <span aria-hidden="true" className={`skeleton block ${className}`} />;
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="mx-auto max-w-md px-6 py-14 text-center">
      <p className="font-semibold">{title}</p>
      {children !== undefined && <div className="mt-1.5 text-quiet">{children}</div>}
    </div>
  );
}

/** Says that loading failed, with a retry button. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const problem = error instanceof Problem ? error : null;
  return (
    <div role="alert" className="mx-auto max-w-lg px-6 py-12 text-center">
      <p className="font-semibold text-bad">{problem?.status === 404 ? "Not found" : "Loading failed"}</p>
      <p className="mt-1.5 text-quiet">
        <bdi>{error instanceof Error ? error.message : "An unexpected error occurred."}</bdi>
      </p>
      {onRetry && problem?.status !== 404 && (
        <Button className="mt-4" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Heading({
  title,
  name,
  children,
  above,
}: {
  title: ReactNode;
  /** The title of the browser tab, if `title` is not plain text. */
  name?: string;
  children?: ReactNode;
  above?: ReactNode;
}) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <title>{`${name ?? (typeof title === "string" ? title : "…")} · Tenax`}</title>
      <div className="min-w-0">
        {above && <div className="mb-0.5 text-quiet text-xs">{above}</div>}
        <h1 className="text-[1.45rem] leading-tight font-semibold tracking-tight break-words">{title}</h1>
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}

export interface Fact {
  label: string;
  value: ReactNode;
  hint?: string;
}

/** A definition list of labels and values. */
export function Facts({ facts, className = "" }: { facts: (Fact | null | false)[]; className?: string }) {
  return (
    <dl className={`grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5 px-4 pb-4 ${className}`}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact.label} className="contents">
              <dt className="text-quiet" title={fact.hint}>
                {fact.label}
              </dt>
              <dd className="min-w-0 break-words">{fact.value ?? <span className="text-faint">–</span>}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
