import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { dropResolved, readFieldErrors } from "../../forms/field-errors";
import { Button, Empty, Heading, Panel } from "../../ui/basics";
import { Field, Select } from "../../ui/forms";
import { notify } from "../../ui/notices";
import { refreshJobs } from "../jobs/job-actions";
import { Check, SCHEDULE_FIELDS, ScheduleFields } from "../jobs/schedule-fields";
import {
  buildSource,
  type Definition,
  describeSource,
  FRESH_SOURCE,
  isComplete,
  readSource,
  type SourceDraft,
} from "./source-draft";
import { RequestFields, TargetFields } from "./source-fields";

type Source = Schemas["SourceView"];

const RECRAWLS = [
  ["due", "Those whose time has come"],
  ["all", "All of them"],
  ["new", "None: only new pages"],
] as const;
const FIELDS = [
  "name",
  "description",
  "seeds",
  "scope.kind",
  "scope.include",
  "scope.exclude",
  "scope.keep_parameters",
  "scope.merge_rules",
  "extract.only",
  "extract.without",
  "extract.response_headers",
  "limits.max_depth",
  "limits.max_pages",
  "limits.pages_per_domain",
  "delay_s",
  "share_pace",
  "user_agent",
  "contact",
  "headers",
  "feed_interval_minutes",
  "schedule",
  ...SCHEDULE_FIELDS.map((each) => `schedule.${each}`),
];

export function NewSource() {
  const { isAdmin } = useRole();
  if (!isAdmin) {
    return <Empty title="Adding sources is for administrators">You can look at every one of them.</Empty>;
  }
  return (
    <>
      <Heading
        title="Add a source"
        above={
          <Link to="/sources" className="hover:underline">
            Sources
          </Link>
        }
      />
      <SourceForm />
    </>
  );
}

/** Of a new source, or of one that is there. */
export function SourceForm({ source }: { source?: Source }) {
  const [draft, setDraft] = useState(() =>
    source?.definition ? readSource(source.definition) : FRESH_SOURCE,
  );
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: (body: Definition) => send(body, source),
    onSuccess: async (saved) => {
      notify("ok", `${saved.name} is ${source ? "changed" : "added"}.`);
      for (const warning of saved.warnings) notify("warn", warning);
      await refreshJobs(queries);
      await navigate({ to: "/sources/$id", params: { id: String(saved.id) } });
    },
  });
  const faults = dropResolved(readFieldErrors(save.error, FIELDS), save.variables, buildSource(draft));

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isComplete(draft)) save.mutate(buildSource(draft));
  }

  return (
    <form onSubmit={submit} className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <TargetFields draft={draft} faults={faults} onChange={setDraft} />
        <Panel title="When">
          <div className="flex flex-col gap-4 px-5 pb-5">
            <ScheduleFields
              draft={draft.schedule}
              faults={faults}
              prefix="schedule."
              onChange={(schedule) => setDraft({ ...draft, schedule })}
            />
            {faults.has("schedule") && (
              <p className="text-bad text-xs">{reveal(faults.get("schedule") ?? "")}</p>
            )}
            <Field label="Which stored pages are visited again">
              {(ids) => (
                <Select
                  label="Which stored pages are visited again"
                  {...ids}
                  value={draft.recrawl}
                  options={RECRAWLS}
                  onChange={(value) => setDraft({ ...draft, recrawl: value as SourceDraft["recrawl"] })}
                />
              )}
            </Field>
          </div>
        </Panel>
        <RequestFields draft={draft} faults={faults} onChange={setDraft} />
      </div>
      <Panel title="What will happen" className="lg:sticky lg:top-0">
        <ul aria-live="polite" className="flex flex-col gap-2 px-4 pb-4">
          {describeSource(draft).map((sentence) => (
            <li key={sentence} className="border-t border-line/60 pt-2 first:border-t-0">
              {reveal(sentence)}
            </li>
          ))}
        </ul>
        <div className="flex flex-col gap-3 border-t border-line p-4">
          <Check isChecked={draft.enabled} onChange={(enabled) => setDraft({ ...draft, enabled })}>
            Enabled
          </Check>
          <Button kind="primary" type="submit" disabled={!isComplete(draft) || save.isPending}>
            {save.isPending ? "One moment…" : source ? "Save the changes" : "Add the source"}
          </Button>
          <p role="alert" className="text-bad">
            {faults.size > 0 && reveal(faults.get("") ?? "Parts of it cannot be used: see the fields.")}
          </p>
        </div>
      </Panel>
    </form>
  );
}

function send(body: Definition, source: Source | undefined): Promise<Source> {
  if (!source) return call("post", "/api/v1/sources", { body });
  const path = { source_id: source.id };
  return call("put", "/api/v1/sources/{source_id}", { path, query: { version: source.version }, body });
}
