import type { ReactNode } from "react";
import { useRole } from "../api/session";
import { Empty } from "../ui/basics";

/** A screen that other users cannot open; `note`: what they can do instead. */
export function AdminOnly({
  title = "This is for administrators",
  note,
  children,
}: {
  title?: string;
  note: string;
  children: ReactNode;
}) {
  const { isAdmin } = useRole();
  return isAdmin ? children : <Empty title={title}>{note}</Empty>;
}
