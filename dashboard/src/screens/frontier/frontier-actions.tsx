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
    success: (done) =>
      `${formatCount(done.domains)} domains with ${formatCount(done.urls)} urls are free again.`,
    ...settled,
  });
  const clear = useAction({
    perform: () => call("delete", "/api/v1/frontier", { query: domain ? { domain } : { confirm: true } }),
    success: (done) => `${formatCount(done.urls)} urls were taken out.`,
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
          title="Free what dead workers hold?"
          action="Recover it"
          isBusy={recover.isPending}
          onConfirm={() => recover.mutate()}
          onClose={() => setOpen(null)}
        >
          Domains whose worker is gone become free now instead of when their lease ends. Workers that are
          alive keep theirs, so repeating is safe.
        </Confirm>
      )}
      {open === "clear" && (
        <Confirm
          title={domain ? `Take out all that waits of ${reveal(domain)}?` : "Take out everything that waits?"}
          action="Clear it"
          isDangerous
          isBusy={clear.isPending}
          onConfirm={() => clear.mutate()}
          onClose={() => setOpen(null)}
        >
          These urls are refused from now on, until somebody adds them again. Stored pages are kept.
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
  seed: "Seeds widen the scope: links on their domains are followed, too. One that was given up gets another try.",
  high: "Each is fetched once, before most others of its domain.",
  medium: "Each is fetched once, when its turn comes.",
  low: "Each is fetched once, after most others of its domain.",
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
      notify("ok", `${formatCount(done.added)} of ${formatCount(done.given)} addresses are new.`);
      await queries.invalidateQueries({ queryKey: ["frontier"] });
      onClose();
    },
  });

  return (
    <FormDialog
      title="Add URLs"
      action={`Add ${urls.length > 0 ? formatCount(urls.length) : "them"}`}
      canSubmit={!wrong && urls.length > 0 && !add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <LinesField
        label="Addresses"
        hint="One per line."
        error={wrong ? `“${reveal(wrong.text)}” is no address of the web.` : firstError(add.error)}
        rows={6}
        value={text}
        onChange={setText}
      />
      <SegmentedControl label="How" value={kind} options={KINDS} onChange={setKind} />
      <p className="min-h-10 text-quiet">{EFFECTS[kind]}</p>
    </FormDialog>
  );
}

function firstError(error: Error | null): string | undefined {
  return (error instanceof Problem && error.faults[0]?.message) || error?.message;
}
