import { Link } from "@tanstack/react-router";
import { buttonClass, Empty, Skeleton } from "../ui/basics";

export function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Empty title="Page not found">
        <p>The link may be from another version of Tenax.</p>
        <Link to="/" className={`${buttonClass("primary")} mt-4`}>
          Go to the overview
        </Link>
      </Empty>
    </main>
  );
}

export function Loading() {
  return (
    <div aria-busy="true" className="flex flex-col gap-4">
      <Skeleton className="h-8 w-48" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
