import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { invalidate } from "../../api/queries";
import { describeErrors, dropResolved, readFieldErrors } from "../../forms/field-errors";
import { TextField } from "../../forms/fields";
import { FormWithPreview } from "../../forms/form";
import { AdminOnly } from "../../shell/admin-only";
import { Heading, Panel } from "../../ui/basics";
import { notify } from "../../ui/notices";
import { ParentLink } from "../../ui/parent-link";
import { SourceField } from "../sources/source-select";
import { buildJob, freshJob, isJobComplete, type JobDraft, readJob } from "./job-draft";
import { JOB_NOUNS, type Job } from "./job-states";
import { describeSchedule } from "./schedule-draft";
import { SCHEDULE_FIELDS, ScheduleFields } from "./schedule-fields";

const route = getRouteApi("/app/jobs/new");
const FIELDS = ["source_id", "url", "next_run_at", ...SCHEDULE_FIELDS];

/** Whether its source created the job. The source then also sets its schedule. */
export function isManagedBySource(job: Job): boolean {
  return job.metadata.made_by === "source";
}

export function NewJob() {
  const { source = "" } = route.useSearch();
  return (
    <AdminOnly title="Only administrators can add jobs" note="You can view all jobs.">
      <Heading title="Add job" above={<ParentLink to="/jobs">Jobs</ParentLink>} />
      <p className="max-w-3xl text-quiet">
        Each enabled source has a job of its own. Add another one to crawl the source once more, from another
        page, or on another schedule.
      </p>
      <JobForm source={source} />
    </AdminOnly>
  );
}

export function JobForm({ job, source = "" }: { job?: Job; source?: string }) {
  const [draft, setDraft] = useState<JobDraft>(() => (job ? readJob(job) : freshJob(source)));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: (body: Schemas["JobChange"]) =>
      job
        ? call("put", "/api/v1/jobs/{job_id}", { path: { job_id: job.id }, body })
        : call("post", "/api/v1/jobs", { body }),
    onSuccess: async (saved) => {
      notify("ok", `Job ${saved.id} was ${job ? "changed" : "added"}.`);
      await invalidate(queries, JOB_NOUNS);
      await navigate({ to: "/jobs/$id", params: { id: String(saved.id) } });
    },
  });
  const faults = dropResolved(readFieldErrors(save.error, FIELDS), save.variables, buildJob(draft, job));

  return (
    <FormWithPreview
      preview={describeSchedule(draft.schedule)}
      action={job ? "Save changes" : "Add job"}
      isReady={isJobComplete(draft)}
      isSending={save.isPending}
      error={describeErrors(faults)}
      onSubmit={() => save.mutate(buildJob(draft, job))}
    >
      <Panel className="flex flex-col gap-4 p-5">
        {job && isManagedBySource(job) && (
          <p className="tone-warn toned rounded-[8px] border px-3 py-2">
            This job follows its source, which may overwrite changes:{" "}
            <Link
              to="/sources/$id"
              params={{ id: String(job.source_id) }}
              search={{ tab: "edit" }}
              className="underline"
            >
              edit the source instead
            </Link>
            .
          </p>
        )}
        <SourceField
          label="Source"
          error={faults.get("source_id")}
          value={draft.source}
          any="Choose a source"
          onChange={(value) => setDraft({ ...draft, source: value })}
          disabled={job !== undefined}
        />
        <TextField
          label="Start URL"
          hint="Empty: all seeds of the source."
          value={draft.url}
          onChange={(url) => setDraft({ ...draft, url })}
          error={faults.get("url")}
        />
        <TextField
          label="First run"
          type="datetime-local"
          hint="In your time zone. Empty: immediately, or in the least busy slot if it repeats."
          value={draft.firstRun}
          onChange={(firstRun) => setDraft({ ...draft, firstRun })}
          error={faults.get("next_run_at")}
        />
        <ScheduleFields
          draft={draft.schedule}
          faults={faults}
          prefix=""
          onChange={(schedule) => setDraft({ ...draft, schedule })}
        />
      </Panel>
    </FormWithPreview>
  );
}
