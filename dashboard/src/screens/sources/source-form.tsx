import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { invalidate } from "../../api/queries";
import { reveal } from "../../format/text";
import { describeErrors, dropResolved, readFieldErrors } from "../../forms/field-errors";
import { Checkbox, SelectField } from "../../forms/fields";
import { FormWithPreview } from "../../forms/form";
import { AdminOnly } from "../../shell/admin-only";
import { Heading, Panel } from "../../ui/basics";
import { notify } from "../../ui/notices";
import { ParentLink } from "../../ui/parent-link";
import { JOB_NOUNS } from "../jobs/job-states";
import { SCHEDULE_FIELDS, ScheduleFields } from "../jobs/schedule-fields";
import { FindingFields, ParserFields } from "./finding-fields";
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
  ["due", "Pages that are due"],
  ["all", "All pages"],
  ["new", "None, only new pages"],
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
  "extract.article",
  "extract.detect_language",
  "extract.markdown",
  "store_bodies",
  "extract.content_types",
  "extract.pdf_pages",
  "limits.max_depth",
  "limits.max_pages",
  "limits.pages_per_domain",
  "limits.new_urls_per_s",
  "sitemaps.enabled",
  "sitemaps.guess",
  "archives",
  "pagination",
  "validation.enabled",
  "validation.soft_404",
  "traps",
  "similarity",
  "parsers",
  "delay_s",
  "share_pace",
  "network.enabled",
  "user_agent",
  "contact",
  "headers",
  "feed_interval_minutes",
  "schedule",
  ...SCHEDULE_FIELDS.map((each) => `schedule.${each}`),
];

export function NewSource() {
  return (
    <AdminOnly title="Only administrators can add sources" note="You can view all sources.">
      <Heading title="Add source" above={<ParentLink to="/sources">Sources</ParentLink>} />
      <SourceForm />
    </AdminOnly>
  );
}

/** The form for a new or an existing source. */
export function SourceForm({ source }: { source?: Source }) {
  const [draft, setDraft] = useState(() =>
    source?.definition ? readSource(source.definition) : FRESH_SOURCE,
  );
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: (body: Definition) => send(body, source),
    onSuccess: async (saved) => {
      notify("ok", `${saved.name} was ${source ? "changed" : "added"}.`);
      for (const warning of saved.warnings) notify("warn", warning);
      await invalidate(queries, JOB_NOUNS);
      await navigate({ to: "/sources/$id", params: { id: String(saved.id) } });
    },
  });
  const faults = dropResolved(readFieldErrors(save.error, FIELDS), save.variables, buildSource(draft));

  return (
    <FormWithPreview
      preview={describeSource(draft)}
      action={source ? "Save changes" : "Add source"}
      isReady={isComplete(draft)}
      isSending={save.isPending}
      error={describeErrors(faults)}
      onSubmit={() => save.mutate(buildSource(draft))}
      extra={
        <Checkbox isChecked={draft.enabled} onChange={(enabled) => setDraft({ ...draft, enabled })}>
          Enabled
        </Checkbox>
      }
    >
      <div className="flex min-w-0 flex-col gap-4">
        <TargetFields draft={draft} faults={faults} onChange={setDraft} />
        <FindingFields draft={draft} faults={faults} onChange={setDraft} />
        <ParserFields draft={draft} faults={faults} onChange={setDraft} />
        <Panel title="Schedule">
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
            <SelectField
              label="Stored pages to revisit"
              value={draft.recrawl}
              options={RECRAWLS}
              onChange={(value) => setDraft({ ...draft, recrawl: value as SourceDraft["recrawl"] })}
            />
          </div>
        </Panel>
        <RequestFields draft={draft} faults={faults} onChange={setDraft} />
      </div>
    </FormWithPreview>
  );
}

function send(body: Definition, source: Source | undefined): Promise<Source> {
  if (!source) return call("post", "/api/v1/sources", { body });
  const path = { source_id: source.id };
  return call("put", "/api/v1/sources/{source_id}", { path, query: { version: source.version }, body });
}
