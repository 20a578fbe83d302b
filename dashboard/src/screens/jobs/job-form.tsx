import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { dropResolved, readFieldErrors } from "../../forms/field-errors";
import { Button, Empty, Heading, Panel } from "../../ui/basics";
import { Field, Select, TextField } from "../../ui/forms";
import { notify } from "../../ui/notices";
import { useSourceNames } from "../sources/source-links";
import { refreshJobs } from "./job-actions";
import { buildJob, freshJob, isJobComplete, type JobDraft, readJob } from "./job-draft";
import type { Job } from "./job-states";
import { describeSchedule } from "./schedule-draft";
import { SCHEDULE_FIELDS, ScheduleFields } from "./schedule-fields";

const route = getRouteApi("/app/jobs/new");
const FIELDS = ["source_id", "url", "next_run_at", ...SCHEDULE_FIELDS];

/** Made by its source, which has the say about its schedule. */
export function isManagedBySource(job: Job): boolean {
  return job.metadata.made_by === "source";
}

export function NewJob() {
  const { source = "" } = route.useSearch();
  const { isAdmin } = useRole();
  if (!isAdmin) {
    return <Empty title="Ordering jobs is for administrators">You can look at every one of them.</Empty>;
  }
  return (
    <>
      <Heading
        title="Order a job"
        above={
          <Link to="/jobs" className="hover:underline">
            Jobs
          </Link>
        }
      />
      <p className="max-w-3xl text-quiet">
        A source that is enabled has a job by itself. Order another one to crawl it once more, from another
        page, or in another rhythm.
      </p>
      <JobForm source={source} />
    </>
  );
}

export function JobForm({ job, source = "" }: { job?: Job; source?: string }) {
  const [draft, setDraft] = useState<JobDraft>(() => (job ? readJob(job) : freshJob(source)));
  const names = useSourceNames();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: (body: Schemas["JobChange"]) =>
      job
        ? call("put", "/api/v1/jobs/{job_id}", { path: { job_id: job.id }, body })
        : call("post", "/api/v1/jobs", { body }),
    onSuccess: async (saved) => {
      notify("ok", `Job ${saved.id} is ${job ? "changed" : "ordered"}.`);
      await refreshJobs(queries);
      await navigate({ to: "/jobs/$id", params: { id: String(saved.id) } });
    },
  });
  const faults = dropResolved(readFieldErrors(save.error, FIELDS), save.variables, buildJob(draft, job));

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isJobComplete(draft)) save.mutate(buildJob(draft, job));
  }

  return (
    <form onSubmit={submit} className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Panel className="flex flex-col gap-4 p-5">
        {job && isManagedBySource(job) && (
          <p className="tone-warn toned rounded-[8px] border px-3 py-2">
            This job follows its source, which may change it again:{" "}
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
        <Field label="Source" error={faults.get("source_id")}>
          {(ids) => (
            <Select
              label="Source"
              {...ids}
              value={draft.source}
              options={[...names].map(([id, name]) => [String(id), name] as const)}
              any="Choose one"
              onChange={(value) => setDraft({ ...draft, source: value })}
              disabled={job !== undefined}
            />
          )}
        </Field>
        <TextField
          label="Begin at"
          hint="An address. Empty: all seeds of the source."
          value={draft.url}
          onChange={(event) => setDraft({ ...draft, url: event.target.value })}
          error={faults.get("url")}
        />
        <TextField
          label="First run"
          type="datetime-local"
          hint="In your time. Empty: at once, or in the slot that has the least to do if it repeats."
          value={draft.begins}
          onChange={(event) => setDraft({ ...draft, begins: event.target.value })}
          error={faults.get("next_run_at")}
        />
        <ScheduleFields
          draft={draft.schedule}
          faults={faults}
          prefix=""
          onChange={(schedule) => setDraft({ ...draft, schedule })}
        />
      </Panel>
      <Panel title="What will happen" className="lg:sticky lg:top-0">
        <ul aria-live="polite" className="flex flex-col gap-2 px-4 pb-4">
          {describeSchedule(draft.schedule).map((sentence) => (
            <li key={sentence} className="border-t border-line/60 pt-2 first:border-t-0">
              {reveal(sentence)}
            </li>
          ))}
        </ul>
        <div className="flex flex-col gap-3 border-t border-line p-4">
          <Button kind="primary" type="submit" disabled={!isJobComplete(draft) || save.isPending}>
            {save.isPending ? "One moment…" : job ? "Save the changes" : "Order it"}
          </Button>
          <p role="alert" className="text-bad">
            {faults.size > 0 && reveal(faults.get("") ?? "Parts of it cannot be used: see the fields.")}
          </p>
        </div>
      </Panel>
    </form>
  );
}
