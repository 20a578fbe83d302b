import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call, Problem, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { readAddresses, readLines, readNumber } from "../../forms/parse";
import { Button, Empty, Heading, Panel, Skeleton } from "../../ui/basics";
import { Field, Select, TextField } from "../../ui/forms";
import { notify } from "../../ui/notices";
import { MergeRuleFields } from "../sources/merge-rule-fields";
import { buildRules } from "../sources/merge-rules";
import { describePlan, describeTaken, FRESH_PLAN, type Plan, readPlan, type ScopeKind } from "./crawl-plan";

const KINDS: readonly (readonly [ScopeKind, string])[] = [
  ["domain", "The seeds’ domains"],
  ["host", "Exactly the seeds’ hosts"],
  ["site", "The sites with all subdomains"],
  ["any", "Everything"],
];

export function StartCrawl() {
  const { isAdmin } = useRole();
  const settings = useApi("/api/v1/admin/settings", { isEnabled: isAdmin });
  if (!isAdmin) {
    return <Empty title="Starting a crawl is for administrators">You can watch every run.</Empty>;
  }
  return (
    <>
      <Heading title="Start a crawl" />
      {settings.isPending ? (
        <Skeleton className="h-96" />
      ) : (
        <CrawlForm initial={settings.data ? readPlan(settings.data.settings) : FRESH_PLAN} />
      )}
    </>
  );
}

function CrawlForm({ initial }: { initial: Plan }) {
  const [plan, setPlan] = useState(initial);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => call("post", "/api/v1/runs", { body: buildRequest(plan) }),
    onSuccess: async (run) => {
      notify("ok", `Run ${run.id} has begun; workers join within a second or two.`);
      for (const sentence of describeTaken(run.taken)) notify("ok", sentence);
      await queries.invalidateQueries({ queryKey: ["runs"] });
      await navigate({ to: "/runs/$id", params: { id: String(run.id) } });
    },
  });

  const set = <K extends keyof Plan>(name: K, value: Plan[K]) => setPlan({ ...plan, [name]: value });
  const wrong = readAddresses(plan.urls).find((each) => each.url === null);
  const isBadNumber = (text: string) => Number.isNaN(readNumber(text));
  const canStart = !wrong && ![plan.maxPages, plan.perDomain, plan.maxDepth, plan.delay_s].some(isBadNumber);
  const faults = start.error instanceof Problem ? start.error.faults : [];
  const faultOf = (name: string) => faults.find((fault) => fault.where.startsWith(`body.${name}`))?.message;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (canStart) start.mutate();
  }

  const number = (name: "maxPages" | "perDomain" | "maxDepth" | "delay_s", label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      value={plan[name]}
      onChange={(event) => set(name, event.target.value)}
      error={isBadNumber(plan[name]) ? "A number, zero or more." : null}
    />
  );

  return (
    <form onSubmit={submit} className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Panel className="flex flex-col gap-5 p-5">
        <Field
          label="Seeds"
          hint="One address per line. Without one, a crawl goes on with what waits."
          error={wrong ? `“${reveal(wrong.text)}” is no address of the web.` : faultOf("urls")}
        >
          {(ids) => (
            <textarea
              {...ids}
              rows={5}
              value={plan.urls}
              onChange={(event) => set("urls", event.target.value)}
              placeholder="https://example.com/"
              spellCheck={false}
              className="field w-full font-mono text-[0.92em]"
            />
          )}
        </Field>
        <TextField
          label="Name"
          hint="Of the crawl; empty: its first seed. The same name goes on with it."
          value={plan.name}
          maxLength={200}
          onChange={(event) => set("name", event.target.value)}
          error={faultOf("name") ?? null}
        />
        <Field label="Which links are followed">
          {(ids) => (
            <Select
              label="Which links are followed"
              {...ids}
              value={plan.kind}
              options={KINDS}
              onChange={(value) => set("kind", value as ScopeKind)}
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          {number("delay_s", "Delay", "Seconds between two requests to a domain.")}
          {number("maxPages", "Pages in all", "Empty: no limit.")}
          {number("perDomain", "Pages per domain", "0: no limit.")}
          {number("maxDepth", "Depth", "Links from a seed to a page.")}
        </div>
        <details>
          <summary className="text-quiet">Patterns, parameters and revisits</summary>
          <div className="mt-3 grid gap-4 sm:grid-cols-2">
            <Lines
              label="Only URLs that match"
              hint={ONE_PATTERN}
              value={plan.include}
              onChange={(value) => set("include", value)}
            />
            <Lines
              label="No URLs that match"
              hint={ONE_PATTERN}
              value={plan.exclude}
              onChange={(value) => set("exclude", value)}
            />
            <Lines
              label="Parameters that count"
              hint="Names, one per line: ref, source and the like are left out of addresses otherwise."
              value={plan.keepParameters}
              onChange={(value) => set("keepParameters", value)}
            />
            <div className="sm:col-span-2">
              <MergeRuleFields rules={plan.mergeRules} onChange={(value) => set("mergeRules", value)} />
            </div>
            <label className="flex items-center gap-2 sm:col-span-2">
              <input
                type="checkbox"
                checked={plan.isRefresh}
                onChange={(event) => set("isRefresh", event.target.checked)}
              />
              Also visit again the pages whose time has come
            </label>
          </div>
        </details>
      </Panel>
      <Panel title="What will happen" className="lg:sticky lg:top-0">
        <ul aria-live="polite" className="flex flex-col gap-2 px-4 pb-4">
          {describePlan(plan).map((sentence) => (
            <li key={sentence} className="border-t border-line/60 pt-2 first:border-t-0">
              {sentence}
            </li>
          ))}
        </ul>
        <div className="border-t border-line p-4">
          <Button kind="primary" type="submit" disabled={!canStart || start.isPending} className="w-full">
            {start.isPending ? "One moment…" : "Start the crawl"}
          </Button>
          <p role="alert" className="mt-2 text-bad">
            {start.error && reveal(start.error.message)}
          </p>
        </div>
      </Panel>
    </form>
  );
}

const ONE_PATTERN = "RE2 patterns, one per line.";

function Lines({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea
          {...ids}
          rows={3}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          spellCheck={false}
          className="field w-full font-mono text-[0.92em]"
        />
      )}
    </Field>
  );
}

function buildRequest(plan: Plan): Schemas["NewRun"] {
  const urls = readAddresses(plan.urls).flatMap((each) => (each.url ? [each.url.href] : []));
  const perDomain = readNumber(plan.perDomain);
  const maxDepth = readNumber(plan.maxDepth);
  return {
    urls: urls.length > 0 ? urls : null,
    name: plan.name.trim() || null,
    scope: {
      kind: plan.kind,
      include: readLines(plan.include),
      exclude: readLines(plan.exclude),
      keep_parameters: readLines(plan.keepParameters),
      merge_rules: buildRules(plan.mergeRules),
    },
    limits: {
      max_pages: readNumber(plan.maxPages),
      ...(perDomain === null ? {} : { pages_per_domain: perDomain }),
      ...(maxDepth === null ? {} : { max_depth: maxDepth }),
    } as NonNullable<Schemas["NewRun"]["limits"]>,
    delay_s: readNumber(plan.delay_s),
    refresh: plan.isRefresh,
  };
}
