import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client";
import { useRole } from "../../api/session";
import { useAction } from "../../forms/use-action";
import { Button } from "../../ui/basics";
import { Confirm } from "../../ui/dialog";
import {
  buildItemRetry,
  buildRetry,
  canRevisit,
  describeCounted,
  describeResting,
  describeRetried,
  formatUrls,
  type RetryRequest,
  retryAll,
  type Shown,
  type ShownItems,
} from "./retries";

/** The nouns of the API that show that a URL was queued. */
const URL_NOUNS = ["urls", "explain", "pages", "frontier", "domains"];

function useRetry(onSettled: () => void) {
  return useAction({ perform: retryAll, success: describeRetried, onSettled, refreshes: URL_NOUNS });
}

/** For a list of dead URLs: retries all of them, after showing how many there are. */
export function RetryMatching(shown: Shown) {
  return <RetryAll label="Retry all matching" request={buildRetry(shown)} />;
}

/** For a list of items: visits the URLs that show them again. */
export function RevisitItems(shown: ShownItems) {
  return <RetryAll label="Revisit their URLs" request={buildItemRetry(shown)} />;
}

function RetryAll({ label, request }: { label: string; request: RetryRequest | null }) {
  const { isAdmin } = useRole();
  const [isOpen, setOpen] = useState(false);
  if (!isAdmin || request === null) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      {isOpen && <ConfirmRetry request={request} onClose={() => setOpen(false)} />}
    </>
  );
}

function ConfirmRetry({ request, onClose }: { request: RetryRequest; onClose: () => void }) {
  const retry = useRetry(onClose);
  const counted = useQuery({
    queryKey: ["retry", request],
    queryFn: ({ signal }) =>
      call("post", "/api/v1/frontier/retry", { body: { ...request, dry_run: true }, signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const found = counted.data;
  return (
    <Confirm
      title="Retry all matching URLs?"
      action={found?.is_complete ? `Retry ${formatUrls(found.urls)}` : "Retry all"}
      isBusy={!found?.urls || retry.isPending}
      onConfirm={() => retry.mutate(request)}
      onClose={onClose}
    >
      <p aria-live="polite" data-testid="retry-count" className="font-medium text-ink">
        {counted.error ? counted.error.message : found ? describeCounted(found) : "Counting…"}
      </p>
      {found && found.resting > 0 && <p className="mt-2">{describeResting(found)}</p>}
      <p className="mt-2">
        Each URL gets all its attempts again. The active run visits them, or else the next one.
      </p>
    </Confirm>
  );
}

/** Queues one URL for another visit, regardless of its fate. */
export function RevisitButton({ url, fate }: { url: string; fate: string }) {
  const { isAdmin } = useRole();
  const retry = useRetry(() => {});
  if (!isAdmin || !canRevisit(fate)) return null;
  return (
    <Button disabled={retry.isPending} onClick={() => retry.mutate({ urls: [url], dry_run: false })}>
      Revisit
    </Button>
  );
}

/** Queues several known URLs for another visit. */
export function RevisitUrlsButton({ urls }: { urls: string[] }) {
  const { isAdmin } = useRole();
  const retry = useRetry(() => {});
  if (!isAdmin || urls.length === 0) return null;
  return (
    <Button disabled={retry.isPending} onClick={() => retry.mutate({ urls, dry_run: false })}>
      {urls.length === 1 ? "Revisit its URL" : "Revisit its URLs"}
    </Button>
  );
}
