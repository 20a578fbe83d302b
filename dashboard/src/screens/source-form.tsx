import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call, type Schemas } from "../api/client";
import { useRole } from "../api/session";
import { reveal } from "../format/text";
import { Button, Empty, Heading, Panel } from "../ui/basics";
import { Choice, Field, TextField } from "../ui/forms";
import { notify } from "../ui/notices";
import { keepUnmended, type Placed, placeError } from "./faults";
import { refreshJobs } from "./job-orders";
import { readAddresses, readNumber } from "./plan";
import { Check, SCHEDULE_FIELDS, ScheduleFields } from "./schedule-fields";
import {
  buildSource,
  type Definition,
  describeSource,
  FRESH_SOURCE,
  isComplete,
  readHeaders,
  readSource,
  type SourceDraft,
} from "./source-draft";

type Source = Schemas["SourceView"];

const KINDS = [
  ["domain", "The seeds’ domains"],
  ["host", "Exactly the seeds’ hosts"],
  ["site", "The sites with all subdomains"],
  ["any", "Everything"],
] as const;
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
  "limits.max_depth",
  "limits.max_pages",
  "limits.pages_per_domain",
  "delay_s",
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
  const [draft, setDraft] = useState(() => (source ? readSource(source.definition) : FRESH_SOURCE));
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
  const faults = keepUnmended(placeError(save.error, FIELDS), save.variables, buildSource(draft));

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isComplete(draft)) save.mutate(buildSource(draft));
  }

  return (
    <form onSubmit={submit} className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <What draft={draft} faults={faults} onChange={setDraft} />
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
                <Choice
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
        <How draft={draft} faults={faults} onChange={setDraft} />
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

interface Part {
  draft: SourceDraft;
  faults: Placed;
  onChange: (draft: SourceDraft) => void;
}

function What({ draft, faults, onChange }: Part) {
  const wrong = readAddresses(draft.seeds).find((each) => each.url === null);
  return (
    <Panel title="What">
      <div className="flex flex-col gap-4 px-5 pb-5">
        <TextField
          label="Name"
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.target.value })}
          error={faults.get("name")}
          maxLength={100}
          autoComplete="off"
          required
        />
        <Lines
          label="Seeds"
          hint="One address per line."
          rows={4}
          value={draft.seeds}
          onChange={(seeds) => onChange({ ...draft, seeds })}
          error={wrong ? `“${reveal(wrong.text)}” is no address of the web.` : faults.get("seeds")}
        />
        <Field label="Which links are followed" error={faults.get("scope.kind")}>
          {(ids) => (
            <Choice
              label="Which links are followed"
              {...ids}
              value={draft.kind}
              options={KINDS}
              any="As the server has it"
              onChange={(value) => onChange({ ...draft, kind: value as SourceDraft["kind"] })}
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-3">
          <Amount part={{ draft, faults, onChange }} name="maxDepth" field="limits.max_depth" label="Depth">
            Links from a seed; more than 5 is much.
          </Amount>
          <Amount
            part={{ draft, faults, onChange }}
            name="maxPages"
            field="limits.max_pages"
            label="Pages per run"
          >
            Empty: as the server has it.
          </Amount>
          <Amount
            part={{ draft, faults, onChange }}
            name="perDomain"
            field="limits.pages_per_domain"
            label="Pages per domain"
          >
            In a run; 0: no limit.
          </Amount>
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <Lines
            label="Only URLs that match"
            hint="RE2 patterns, one per line."
            value={draft.include}
            onChange={(include) => onChange({ ...draft, include })}
            error={faults.get("scope.include")}
          />
          <Lines
            label="No URLs that match"
            hint="RE2 patterns, one per line."
            value={draft.exclude}
            onChange={(exclude) => onChange({ ...draft, exclude })}
            error={faults.get("scope.exclude")}
          />
        </div>
      </div>
    </Panel>
  );
}

function How({ draft, faults, onChange }: Part) {
  const { wrong } = readHeaders(draft.headers);
  return (
    <Panel title="How">
      <div className="flex flex-col gap-4 px-5 pb-5">
        <div className="grid gap-4 sm:grid-cols-2">
          <Amount part={{ draft, faults, onChange }} name="delay_s" field="delay_s" label="Delay">
            Seconds between two requests to a domain. Empty: as the server has it.
          </Amount>
          <TextField
            label="Contact"
            hint="For site owners: an address of the web or a mail address."
            value={draft.contact}
            onChange={(event) => onChange({ ...draft, contact: event.target.value })}
            error={faults.get("contact")}
          />
        </div>
        <TextField
          label="User agent"
          hint="Empty: the server’s own, which says who we are."
          value={draft.userAgent}
          onChange={(event) => onChange({ ...draft, userAgent: event.target.value })}
          error={faults.get("user_agent")}
        />
        <Lines
          label="Headers"
          hint="One per line, as “Accept-Language: de”. Sent to the seeds’ origins only; *** keeps what is stored."
          value={draft.headers}
          onChange={(headers) => onChange({ ...draft, headers })}
          error={wrong ? `“${reveal(wrong)}” has no colon.` : faults.get("headers")}
        />
        <Check isChecked={draft.feeds} onChange={(feeds) => onChange({ ...draft, feeds })}>
          Look for feeds and follow them
        </Check>
        {draft.feeds && (
          <Amount
            part={{ draft, faults, onChange }}
            name="feedInterval"
            field="feed_interval_minutes"
            label="Feeds are asked every"
          >
            Minutes.
          </Amount>
        )}
        <TextField
          label="Description"
          hint="For people."
          value={draft.description}
          onChange={(event) => onChange({ ...draft, description: event.target.value })}
          error={faults.get("description")}
        />
      </div>
    </Panel>
  );
}

function Amount({
  part: { draft, faults, onChange },
  name,
  field,
  label,
  children,
}: {
  part: Part;
  name: "maxDepth" | "maxPages" | "perDomain" | "delay_s" | "feedInterval";
  field: string;
  label: string;
  children: string;
}) {
  return (
    <TextField
      label={label}
      hint={children}
      inputMode="decimal"
      value={draft[name]}
      onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
      error={Number.isNaN(readNumber(draft[name])) ? "A number, zero or more." : faults.get(field)}
    />
  );
}

function Lines({
  label,
  hint,
  error,
  value,
  rows = 3,
  onChange,
}: {
  label: string;
  hint: string;
  error: string | undefined;
  value: string;
  rows?: number;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          rows={rows}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          spellCheck={false}
          className="field w-full font-mono text-[0.92em]"
        />
      )}
    </Field>
  );
}
