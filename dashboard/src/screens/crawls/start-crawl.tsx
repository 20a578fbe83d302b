import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { reveal } from "../../format/text";
import { readFieldErrors } from "../../forms/field-errors";
import { Checkbox, LinesField, NumberField, SelectField, TextField } from "../../forms/fields";
import { FormWithPreview } from "../../forms/form";
import { readAddresses, readLines, readNumber } from "../../forms/parse";
import { AdminOnly } from "../../shell/admin-only";
import { Heading, Panel, Skeleton } from "../../ui/basics";
import { notify } from "../../ui/notices";
import { MergeRuleFields } from "../sources/merge-rule-fields";
import { buildRules } from "../sources/merge-rules";
import {
  describePlan,
  describeTaken,
  FRESH_PLAN,
  type Plan,
  readPlan,
  SCOPE_OPTIONS,
  type ScopeKind,
} from "./crawl-plan";

export function StartCrawl() {
  return (
    <AdminOnly title="Only administrators can start a crawl" note="You can watch every run.">
      <Heading title="Start a crawl" />
      <CrawlFormOfServer />
    </AdminOnly>
  );
}

/** The form, filled with the server's settings. */
function CrawlFormOfServer() {
  const { data, isPending } = useApi("/api/v1/admin/settings");
  if (isPending) return <Skeleton className="h-96" />;
  return <CrawlForm initial={data ? readPlan(data.settings) : FRESH_PLAN} />;
}

const FIELDS = ["urls", "name"];
const ONE_PATTERN = "RE2 patterns, one per line.";

function CrawlForm({ initial }: { initial: Plan }) {
  const [plan, setPlan] = useState(initial);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => call("post", "/api/v1/runs", { body: buildRequest(plan) }),
    onSuccess: async (run) => {
      notify("ok", `Run ${run.id} started. Workers join within a second or two.`);
      for (const sentence of describeTaken(run.taken)) notify("ok", sentence);
      await queries.invalidateQueries({ queryKey: ["runs"] });
      await navigate({ to: "/runs/$id", params: { id: String(run.id) } });
    },
  });

  const set = <K extends keyof Plan>(name: K, value: Plan[K]) => setPlan({ ...plan, [name]: value });
  const wrong = readAddresses(plan.urls).find((each) => each.url === null);
  const numbers = [plan.maxPages, plan.perDomain, plan.maxDepth, plan.delay_s].map(readNumber);
  const errors = readFieldErrors(start.error, FIELDS);
  const number = (name: "maxPages" | "perDomain" | "maxDepth" | "delay_s", label: string, hint: string) => (
    <NumberField label={label} hint={hint} value={plan[name]} onChange={(value) => set(name, value)} />
  );

  return (
    <FormWithPreview
      preview={describePlan(plan)}
      action="Start crawl"
      isReady={!wrong && !numbers.some(Number.isNaN)}
      isSending={start.isPending}
      error={start.error?.message}
      onSubmit={() => start.mutate()}
    >
      <Panel className="flex flex-col gap-5 p-5">
        <LinesField
          label="Seeds"
          hint="One URL per line. Without seeds, a crawl continues with its queued URLs."
          error={wrong ? `“${reveal(wrong.text)}” is not a valid URL.` : errors.get("urls")}
          rows={5}
          value={plan.urls}
          onChange={(value) => set("urls", value)}
          placeholder="https://example.com/"
        />
        <TextField
          label="Name"
          hint="The name of the crawl. Empty: its first seed. Reuse a name to continue that crawl."
          value={plan.name}
          maxLength={200}
          onChange={(value) => set("name", value)}
          error={errors.get("name")}
        />
        <SelectField
          label="Links to follow"
          value={plan.kind}
          options={SCOPE_OPTIONS}
          onChange={(value) => set("kind", value as ScopeKind)}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          {number("delay_s", "Delay", "Seconds between requests to a domain.")}
          {number("maxPages", "Page limit", "Empty: no limit.")}
          {number("perDomain", "Pages per domain", "0: no limit.")}
          {number("maxDepth", "Depth", "Maximum number of links from a seed.")}
        </div>
        <details>
          <summary className="text-quiet">Patterns, parameters and revisits</summary>
          <div className="mt-3 grid gap-4 sm:grid-cols-2">
            <LinesField
              label="Include URLs matching"
              hint={ONE_PATTERN}
              value={plan.include}
              onChange={(value) => set("include", value)}
            />
            <LinesField
              label="Exclude URLs matching"
              hint={ONE_PATTERN}
              value={plan.exclude}
              onChange={(value) => set("exclude", value)}
            />
            <LinesField
              label="Parameters to keep"
              hint="Names, one per line. Parameters such as ref and source are otherwise removed from URLs."
              value={plan.keepParameters}
              onChange={(value) => set("keepParameters", value)}
            />
            <div className="sm:col-span-2">
              <MergeRuleFields rules={plan.mergeRules} onChange={(value) => set("mergeRules", value)} />
            </div>
            <Checkbox
              className="flex sm:col-span-2"
              isChecked={plan.isRefresh}
              onChange={(value) => set("isRefresh", value)}
            >
              Also revisit pages that are due
            </Checkbox>
          </div>
        </details>
      </Panel>
    </FormWithPreview>
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
