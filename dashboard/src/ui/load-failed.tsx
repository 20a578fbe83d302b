import type { ReactNode } from "react";
import { Heading, LoadError } from "./basics";

/** A screen whose subject could not be loaded, with the way back. */
export function LoadFailed({
  title,
  above,
  error,
  onRetry,
}: {
  title: string;
  above: ReactNode;
  error: unknown;
  onRetry: () => void;
}) {
  return (
    <>
      <Heading title={title} above={above} />
      <LoadError error={error} onRetry={onRetry} />
    </>
  );
}
