import type { ReactNode } from "react";
import { useRole } from "../api/session";
import { Empty } from "../ui/basics";

/** Shows its children to administrators only. `note`: what other users read instead. */
export function AdminOnly({
  title = "Only for administrators",
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
