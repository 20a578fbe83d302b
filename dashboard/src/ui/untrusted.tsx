import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { followable, reveal, revealLines } from "../format/text";

/** Text from outside, as it is: isolated from the text around it, with invisible characters made visible. */
export function Untrusted({ text, className = "" }: { text: string; className?: string }) {
  return <bdi className={className}>{reveal(text)}</bdi>;
}

export function UntrustedLines({ text, className = "" }: { text: string; className?: string }) {
  return (
    <pre className={`font-mono text-xs whitespace-pre-wrap break-words ${className}`}>
      <bdi>{revealLines(text)}</bdi>
    </pre>
  );
}

/** A crawled URL in full. It is a link only if its scheme is http or https. */
export function OutLink({ url, className = "" }: { url: string; className?: string }) {
  const href = followable(url);
  const text = <bdi className="font-mono text-[0.92em] break-all">{reveal(url)}</bdi>;
  if (href === null) return <span className={className}>{text}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={`underline decoration-line underline-offset-2 hover:decoration-current ${className}`}
    >
      {text}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

/** A link whose text comes from outside as well: its target shows when a pointer rests on it, and on paper. */
export function OutTextLink({ url, children }: { url: string; children: ReactNode }) {
  const href = followable(url);
  if (href === null) return children;
  return (
    <a
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline decoration-line underline-offset-2 hover:decoration-current"
    >
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

export function ExplainLink({ url, className = "" }: { url: string; className?: string }) {
  return (
    <Link to="/explain" search={{ url }} className={`hover:underline ${className}`}>
      <bdi className="font-mono text-[0.92em]">{reveal(url)}</bdi>
    </Link>
  );
}

export function DomainLink({ name, className = "" }: { name: string; className?: string }) {
  return (
    <Link to="/domains/$name" params={{ name }} className={`hover:underline ${className}`}>
      <bdi>{reveal(name)}</bdi>
    </Link>
  );
}
