import { reveal } from "../../format/text";
import type { FieldErrors } from "../../forms/field-errors";
import { LinesField, NumberField, SelectField, TextField } from "../../forms/fields";
import { readAddresses } from "../../forms/parse";
import { Panel } from "../../ui/basics";
import { SCOPE_OPTIONS } from "../crawls/crawl-plan";
import { MergeRuleFields } from "./merge-rule-fields";
import { readHeaders, type SourceDraft } from "./source-draft";

export interface Part {
  draft: SourceDraft;
  faults: FieldErrors;
  onChange: (draft: SourceDraft) => void;
}

export function TargetFields({ draft, faults, onChange }: Part) {
  const wrong = readAddresses(draft.seeds).find((each) => each.url === null);
  return (
    <Panel title="What to crawl">
      <div className="flex flex-col gap-4 px-5 pb-5">
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => onChange({ ...draft, name })}
          error={faults.get("name")}
          maxLength={100}
          autoComplete="off"
          required
        />
        <LinesField
          label="Seeds"
          hint="One URL per line."
          rows={4}
          value={draft.seeds}
          onChange={(seeds) => onChange({ ...draft, seeds })}
          error={wrong ? `“${reveal(wrong.text)}” is not a valid URL.` : faults.get("seeds")}
        />
        <SelectField
          label="Links to follow"
          error={faults.get("scope.kind")}
          value={draft.kind}
          options={SCOPE_OPTIONS}
          any="Server setting"
          onChange={(value) => onChange({ ...draft, kind: value as SourceDraft["kind"] })}
        />
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          <Amount part={{ draft, faults, onChange }} name="maxDepth" field="limits.max_depth" label="Depth">
            Maximum number of links from a seed. More than 5 is a lot.
          </Amount>
          <Amount
            part={{ draft, faults, onChange }}
            name="maxPages"
            field="limits.max_pages"
            label="Pages per run"
          >
            Empty: the server setting.
          </Amount>
          <Amount
            part={{ draft, faults, onChange }}
            name="perDomain"
            field="limits.pages_per_domain"
            label="Pages per domain"
          >
            Per run. 0: no limit.
          </Amount>
          <Amount
            part={{ draft, faults, onChange }}
            name="newUrls"
            field="limits.new_urls_per_s"
            label="New URLs per second"
          >
            More than this wait. 0: no limit.
          </Amount>
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <LinesField
            label="Include URLs matching"
            hint="RE2 patterns, one per line."
            value={draft.include}
            onChange={(include) => onChange({ ...draft, include })}
            error={faults.get("scope.include")}
          />
          <LinesField
            label="Exclude URLs matching"
            hint="RE2 patterns, one per line."
            value={draft.exclude}
            onChange={(exclude) => onChange({ ...draft, exclude })}
            error={faults.get("scope.exclude")}
          />
          <LinesField
            label="Parameters to keep"
            hint="Names, one per line. Parameters such as ref and source are otherwise removed from URLs."
            value={draft.keepParameters}
            onChange={(keepParameters) => onChange({ ...draft, keepParameters })}
            error={faults.get("scope.keep_parameters")}
          />
          <LinesField
            label="Text only from"
            hint="CSS selectors, one per line. Changes elsewhere on the page are ignored."
            value={draft.only}
            onChange={(only) => onChange({ ...draft, only })}
            error={faults.get("extract.only")}
          />
          <LinesField
            label="No text from"
            hint="CSS selectors, one per line: clocks, banners, related links."
            value={draft.without}
            onChange={(without) => onChange({ ...draft, without })}
            error={faults.get("extract.without")}
          />
          <LinesField
            label="Response headers to keep"
            hint="Names, one per line: server, x-cache."
            value={draft.responseHeaders}
            onChange={(responseHeaders) => onChange({ ...draft, responseHeaders })}
            error={faults.get("extract.response_headers")}
          />
          <SelectField
            label="Detect languages"
            hint="Of pages that do not say theirs."
            error={faults.get("extract.detect_language")}
            value={draft.detectLanguage === null ? "" : String(draft.detectLanguage)}
            options={[
              ["true", "Yes"],
              ["false", "No"],
            ]}
            any="Server setting"
            onChange={(value) =>
              onChange({ ...draft, detectLanguage: value === "" ? null : value === "true" })
            }
          />
          <SelectField
            label="Markdown of pages"
            hint="Kept beside the text, for reading and for exports in chunks."
            value={draft.markdown === null ? "" : draft.markdown ? "keep" : "drop"}
            options={[
              ["keep", "Keep it"],
              ["drop", "Do not keep it"],
            ]}
            any="Server setting"
            onChange={(choice) => onChange({ ...draft, markdown: choice === "" ? null : choice === "keep" })}
            error={faults.get("extract.markdown")}
          />
          <SelectField
            label="Bodies of pages"
            hint="The bytes and headers of every visit, as received."
            value={draft.storeBodies === null ? "" : draft.storeBodies ? "store" : "drop"}
            options={[
              ["store", "Store them"],
              ["drop", "Do not store them"],
            ]}
            any="Server setting"
            onChange={(choice) =>
              onChange({ ...draft, storeBodies: choice === "" ? null : choice === "store" })
            }
            error={faults.get("store_bodies")}
          />
          <SelectField
            label="PDFs"
            hint="Their text and their links, as of any page."
            value={draft.pdf === null ? "" : draft.pdf ? "read" : "skip"}
            options={[
              ["read", "Read them"],
              ["skip", "Do not read them"],
            ]}
            any="Server setting"
            onChange={(choice) => onChange({ ...draft, pdf: choice === "" ? null : choice === "read" })}
            error={faults.get("extract.content_types")}
          />
          <Amount
            part={{ draft, faults, onChange }}
            name="pdfPages"
            field="extract.pdf_pages"
            label="Pages of a PDF"
          >
            The rest is ignored. Empty: the server setting.
          </Amount>
        </div>
        <MergeRuleFields
          rules={draft.mergeRules}
          error={faults.get("scope.merge_rules")}
          onChange={(mergeRules) => onChange({ ...draft, mergeRules })}
        />
      </div>
    </Panel>
  );
}

export function RequestFields({ draft, faults, onChange }: Part) {
  const { wrong } = readHeaders(draft.headers);
  return (
    <Panel title="Requests">
      <div className="flex flex-col gap-4 px-5 pb-5">
        <div className="grid gap-4 sm:grid-cols-2">
          <Amount part={{ draft, faults, onChange }} name="delay_s" field="delay_s" label="Delay">
            Seconds between requests to a domain. Empty: the server setting.
          </Amount>
          <TextField
            label="Contact"
            hint="For site owners: a URL or an email address."
            value={draft.contact}
            onChange={(contact) => onChange({ ...draft, contact })}
            error={faults.get("contact")}
          />
        </div>
        <SelectField
          label="Rate limit per"
          error={faults.get("share_pace")}
          value={draft.sharePace}
          options={[
            ["domain", "Domain"],
            ["site", "Site, including all subdomains"],
          ]}
          any="Server setting"
          onChange={(value) => onChange({ ...draft, sharePace: value as SourceDraft["sharePace"] })}
        />
        <SelectField
          label="Network outages"
          error={faults.get("network.enabled")}
          value={draft.outages}
          options={[
            ["wait", "Wait until the network is back"],
            ["count", "Count failures against sites"],
          ]}
          any="Server setting"
          onChange={(value) => onChange({ ...draft, outages: value as SourceDraft["outages"] })}
        />
        <TextField
          label="User agent"
          hint="Empty: the server’s user agent, which identifies the crawler."
          value={draft.userAgent}
          onChange={(userAgent) => onChange({ ...draft, userAgent })}
          error={faults.get("user_agent")}
        />
        <LinesField
          label="Headers"
          hint="One per line, such as “Accept-Language: de”. Sent only to the seeds’ origins. *** keeps the stored value."
          value={draft.headers}
          onChange={(headers) => onChange({ ...draft, headers })}
          error={wrong ? `“${reveal(wrong)}” has no colon.` : faults.get("headers")}
        />
        <TextField
          label="Description"
          hint="Free text."
          value={draft.description}
          onChange={(description) => onChange({ ...draft, description })}
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
  name: "maxDepth" | "maxPages" | "perDomain" | "newUrls" | "pdfPages" | "delay_s";
  field: string;
  label: string;
  children: string;
}) {
  return (
    <NumberField
      label={label}
      hint={children}
      value={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      error={faults.get(field)}
    />
  );
}
