import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, Problem } from "../../api/client";
import { formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { LinesField } from "../../forms/fields";
import { FormDialog } from "../../forms/form";
import { readAddresses } from "../../forms/parse";
import { useAction } from "../../forms/use-action";
import { Button } from "../../ui/basics";
import { SegmentedControl } from "../../ui/controls";
import { Confirm } from "../../ui/dialog";
import { notify } from "../../ui/notices";

type Open = "add" | "recover" | "clear" | null;

/** The actions on the frontier. */
export function FrontierActions({ domain }: { domain: string }) {
  const [open, setOpen] = useState<Open>(null);
  const settled = { onSettled: () => setOpen(null), refreshes: ["frontier"] };
  const recover = useAction({
    perform: () => call("post", "/api/v1/frontier/recover"),
    success: (done) => `${formatCount(done.domains)} domains with ${formatCount(done.urls)} URLs released.`,
    ...settled,
  });
  const clear = useAction({
    perform: () => call("delete", "/api/v1/frontier", { query: domain ? { domain } : { confirm: true } }),
    success: (done) => `${formatCount(done.urls)} URLs removed.`,
    ...settled,
  });
  return (
    <>
      <Button onClick={() => setOpen("recover")}>Recover</Button>
      <Button kind="danger" onClick={() => setOpen("clear")}>
        Clear
      </Button>
      <Button kind="primary" onClick={() => setOpen("add")}>
        Add URLs
      </Button>
      {open === "add" && <AddUrls onClose={() => setOpen(null)} />}
      {open === "recover" && (
        <Confirm
          title="Release domains of dead workers?"
          action="Release domains"
          isBusy={recover.isPending}
          onConfirm={() => recover.mutate()}
          onClose={() => setOpen(null)}
        >
          Domains held by dead workers are released now instead of when their leases expire. Live workers keep
          their domains, so repeating this is safe.
        </Confirm>
      )}
      {open === "clear" && (
        <Confirm
          title={domain ? `Clear the queue of ${reveal(domain)}?` : "Clear the whole frontier?"}
          action="Clear queue"
          isDangerous
          isBusy={clear.isPending}
          onConfirm={() => clear.mutate()}
          onClose={() => setOpen(null)}
        >
          The queued URLs are removed and refused until a user adds them again. Stored pages are kept.
        </Confirm>
      )}
    </>
  );
}

const KINDS = [
  ["seed", "As seeds"],
  ["high", "High priority"],
  ["medium", "Medium"],
  ["low", "Low"],
] as const;
type Kind = (typeof KINDS)[number][0];

const EFFECTS: Record<Kind, string> = {
  seed: "Seeds widen the scope: links on their domains are followed, too. Seeds that were given up are retried.",
  high: "Each URL is fetched once, before most others of its domain.",
  medium: "Each URL is fetched once, in turn.",
  low: "Each URL is fetched once, after most others of its domain.",
};

function AddUrls({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [kind, setKind] = useState<Kind>("seed");
  const queries = useQueryClient();
  const addresses = readAddresses(text);
  const urls = addresses.flatMap((each) => (each.url ? [each.url.href] : []));
  const wrong = addresses.find((each) => each.url === null);
  const add = useMutation({
    mutationFn: () =>
      kind === "seed"
        ? call("post", "/api/v1/frontier/seed", { body: { urls } })
        : call("post", "/api/v1/frontier", { body: { urls, priority: kind } }),
    onSuccess: async (done) => {
      notify("ok", `${formatCount(done.added)} of ${formatCount(done.given)} URLs are new.`);
      await queries.invalidateQueries({ queryKey: ["frontier"] });
      onClose();
    },
  });

  return (
    <FormDialog
      title="Add URLs"
      action={`Add ${urls.length > 0 ? formatCount(urls.length) : "URLs"}`}
      canSubmit={!wrong && urls.length > 0 && !add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <LinesField
        label="URLs"
        hint="One per line."
        error={wrong ? `“${reveal(wrong.text)}” is not a valid URL.` : firstError(add.error)}
        rows={6}
        value={text}
        onChange={setText}
      />
      <SegmentedControl label="Add as" value={kind} options={KINDS} onChange={setKind} />
      <p className="min-h-10 text-quiet">{EFFECTS[kind]}</p>
    </FormDialog>
  );
}

function firstError(error: Error | null): string | undefined {
  return (error instanceof Problem && error.faults[0]?.message) || error?.message;
}
