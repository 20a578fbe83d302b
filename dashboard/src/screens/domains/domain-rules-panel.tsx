import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { dropResolved, readFieldErrors } from "../../forms/field-errors";
import { Checkbox, TextField } from "../../forms/fields";
import { Form } from "../../forms/form";
import { Button, Facts, Panel } from "../../ui/basics";
import { notify } from "../../ui/notices";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { buildChange, describeLimits, draftOf, type RulesDraft } from "./domain-rules";

type Detail = Schemas["DomainDetail"];

const FIELDS = ["delay_s", "per_domain", "pages_per_run", "is_active"] as const;

/** The rules of the domain and where they come from. Administrators can change them. */
export function DomainRules({ domain }: { domain: Detail }) {
  const { isAdmin } = useRole();
  const [isEditing, setEditing] = useState(false);
  return (
    <Panel title="Rules" aside={domain.rules.is_active ? undefined : "inactive"}>
      <Facts
        facts={[
          !domain.rules.is_active && {
            label: "Inactive",
            value: "No requests are made. Its URLs stay queued.",
          },
          ...describeLimits(domain).map(({ label, text }) => ({ label, value: text })),
          domain.rules_at !== null && {
            label: "Set by",
            value: (
              <>
                <Untrusted text={domain.rules_by ?? ""} />, <Time at={domain.rules_at} />
              </>
            ),
          },
        ]}
      />
      {isAdmin && (
        <div className="px-4 pb-4">
          {isEditing ? (
            <RulesForm domain={domain} onClose={() => setEditing(false)} />
          ) : (
            <Button onClick={() => setEditing(true)}>Change rules</Button>
          )}
        </div>
      )}
    </Panel>
  );
}

function RulesForm({ domain, onClose }: { domain: Detail; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(domain.rules));
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: Schemas["RulesBody"]) =>
      call("patch", "/api/v1/domains/{name}", { path: { name: domain.name }, body }),
    onSuccess: (changed) => {
      notify("ok", `Rules of ${changed.name} saved. Workers apply them within two seconds.`);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["domains"] }),
  });
  const change = buildChange(draft, domain.rules);
  const faults = dropResolved(readFieldErrors(save.error, FIELDS), save.variables, change);
  const field = (name: Exclude<keyof RulesDraft, "is_active">, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      error={faults.has(name) ? reveal(faults.get(name) ?? "") : null}
      inputMode="decimal"
      value={draft[name]}
      placeholder="set by its crawl"
      onChange={(value) => setDraft({ ...draft, [name]: value })}
    />
  );
  return (
    <Form
      className="flex flex-col gap-3"
      onSubmit={() => {
        if (change === null || save.isPending) return;
        if (Object.keys(change).length === 0) onClose();
        else save.mutate(change);
      }}
    >
      {field(
        "delay_s",
        "Delay in seconds",
        "Between requests. A longer Crawl-delay in robots.txt takes precedence.",
      )}
      {field("per_domain", "Concurrent requests", "1 or more.")}
      {field("pages_per_run", "Pages per run", "0: no limit.")}
      <Checkbox isChecked={draft.is_active} onChange={(is_active) => setDraft({ ...draft, is_active })}>
        Active: requests may be made
      </Checkbox>
      <p className="text-quiet text-xs">
        Rules override the source or crawl. An empty field removes the rule.
      </p>
      {(change === null || faults.has("")) && (
        <p role="alert" className="text-bad text-xs">
          {change === null ? "Enter numbers, or leave fields empty." : reveal(faults.get("") ?? "")}
        </p>
      )}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={change === null || save.isPending}>
          Save rules
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Form>
  );
}
