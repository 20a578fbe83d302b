import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Schemas } from "../api/client";
import { useRole } from "../api/session";
import { reveal } from "../format/text";
import { Button, Facts, Panel } from "../ui/basics";
import { Foreign } from "../ui/crawled";
import { TextField } from "../ui/forms";
import { notify } from "../ui/notices";
import { Time } from "../ui/time";
import { buildOrder, draftRules, type RulesDraft, tellLimits } from "./domain-rules";
import { keepUnmended, placeError } from "./faults";

type Detail = Schemas["DomainDetail"];

const FIELDS = ["delay_s", "per_domain", "pages_per_run", "is_active"] as const;

/** What holds for the domain and why; administrators change it here. */
export function DomainRules({ domain }: { domain: Detail }) {
  const { isAdmin } = useRole();
  const [isEdited, setEdited] = useState(false);
  return (
    <Panel title="Rules" aside={domain.rules.is_active ? undefined : "inactive"}>
      <Facts
        facts={[
          !domain.rules.is_active && {
            label: "Inactive",
            value: "Nothing is requested of it, and its urls wait.",
          },
          ...tellLimits(domain).map(({ label, told }) => ({ label, value: told })),
          domain.rules_at !== null && {
            label: "Set by",
            value: (
              <>
                <Foreign text={domain.rules_by ?? ""} />, <Time at={domain.rules_at} />
              </>
            ),
          },
        ]}
      />
      {isAdmin && (
        <div className="px-4 pb-4">
          {isEdited ? (
            <RulesForm domain={domain} onClose={() => setEdited(false)} />
          ) : (
            <Button onClick={() => setEdited(true)}>Change rules</Button>
          )}
        </div>
      )}
    </Panel>
  );
}

function RulesForm({ domain, onClose }: { domain: Detail; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftRules(domain.rules));
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: Schemas["RulesBody"]) =>
      call("patch", "/api/v1/domains/{name}", { path: { name: domain.name }, body }),
    onSuccess: (changed) => {
      notify("ok", `The rules of ${changed.name} are set. Workers hear of it within two seconds.`);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["domains"] }),
  });
  const order = buildOrder(draft, domain.rules);
  const faults = keepUnmended(placeError(save.error, FIELDS), save.variables, order);
  const field = (name: Exclude<keyof RulesDraft, "is_active">, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      error={faults.has(name) ? reveal(faults.get(name) ?? "") : null}
      inputMode="decimal"
      value={draft[name]}
      placeholder="as its crawl has it"
      onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
    />
  );
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (order === null || save.isPending) return;
        if (Object.keys(order).length === 0) onClose();
        else save.mutate(order);
      }}
    >
      {field("delay_s", "Seconds between two requests", "A longer Crawl-delay of its robots.txt is kept.")}
      {field("per_domain", "Requests at a time", "1 or more.")}
      {field("pages_per_run", "Pages per run", "0: no limit.")}
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={draft.is_active}
          onChange={(event) => setDraft({ ...draft, is_active: event.target.checked })}
        />
        Active: it may be asked
      </label>
      <p className="text-quiet text-xs">
        These go before what its source or crawl says. An empty field drops the rule.
      </p>
      {(order === null || faults.has("")) && (
        <p role="alert" className="text-bad text-xs">
          {order === null ? "Write numbers, or leave a field empty." : reveal(faults.get("") ?? "")}
        </p>
      )}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={order === null || save.isPending}>
          Save rules
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </div>
    </form>
  );
}
