import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

/** Sets one filter in the address and keeps the others. */
export function useFilter(): (name: string) => (value: string) => void {
  const navigate = useNavigate();
  return useCallback(
    (name) => (value) =>
      void navigate({
        to: ".",
        search: (before: Record<string, unknown>) => ({ ...before, [name]: value || undefined }),
        replace: true,
      }),
    [navigate],
  );
}
