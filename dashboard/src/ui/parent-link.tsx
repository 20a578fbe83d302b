import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** A link above the heading of a screen to the list it belongs to. */
export function ParentLink({ to, children }: { to: NonNullable<LinkProps["to"]>; children: ReactNode }) {
  return (
    <Link to={to} className="hover:underline">
      {children}
    </Link>
  );
}
