import { reveal } from "../../format/text";
import { Checkbox, LinesField, NumberField, SelectField } from "../../forms/fields";
import { Panel } from "../../ui/basics";
import {
  chooseNear,
  chooseSwitch,
  type NearChoice,
  readNear,
  readSwitch,
  type SwitchChoice,
} from "./finding";
import { readParsers } from "./parsers";
import type { Part } from "./source-fields";

const ARTICLE_OPTIONS: readonly (readonly ["never" | "fallback" | "always", string])[] = [
  ["never", "None"],
  ["fallback", "Where no other parser makes an item"],
  ["always", "On every page"],
];

const MOST_ROWS = 24;

/** What makes items of pages. */
export function ParserFields({ draft, faults, onChange }: Part) {
  const { wrong } = readParsers(draft.parsers);
  return (
    <Panel title="Items">
      <div className="flex flex-col gap-4 px-5 pb-5">
        <LinesField
          label="Parsers"
          hint="Names of installed parsers, one per line; or JSON that defines parsers without code."
          rows={Math.min(Math.max(4, draft.parsers.split("\n").length), MOST_ROWS)}
          value={draft.parsers}
          onChange={(parsers) => onChange({ ...draft, parsers })}
          error={wrong ? `This is not JSON: ${reveal(wrong)}` : faults.get("parsers")}
        />
        <SelectField
          label="Articles"
          hint="Whether the built-in parser makes an item of each article."
          error={faults.get("extract.article")}
          value={draft.article}
          options={ARTICLE_OPTIONS}
          any="Server setting"
          onChange={(value) => onChange({ ...draft, article: value as typeof draft.article })}
        />
      </div>
    </Panel>
  );
}

/** Where URLs come from besides links, and which pages are left out. */
export function FindingFields(part: Part) {
  return (
    <Panel title="Finding and filtering">
      <div className="flex flex-col gap-4 px-5 pb-5">
        <div className="grid gap-4 sm:grid-cols-2">
          <SitemapSwitches {...part} />
          <GuessSwitches {...part} />
          <ValidationSwitches {...part} />
          <RepetitionSwitches {...part} />
        </div>
        <FeedFields {...part} />
      </div>
    </Panel>
  );
}

function SitemapSwitches({ draft, faults, onChange }: Part) {
  const { sitemaps } = draft;
  return (
    <>
      <Switch
        label="Read sitemaps"
        hint="Those that robots.txt and pages link to."
        value={sitemaps.enabled}
        error={faults.get("sitemaps.enabled")}
        onChange={(enabled) => onChange({ ...draft, sitemaps: { ...sitemaps, enabled } })}
      />
      <Switch
        label="Guess sitemaps"
        hint="Try /sitemap.xml where robots.txt has none. Only if sitemaps are read."
        value={sitemaps.guess}
        error={faults.get("sitemaps.guess")}
        onChange={(guess) => onChange({ ...draft, sitemaps: { ...sitemaps, guess } })}
      />
    </>
  );
}

function GuessSwitches({ draft, faults, onChange }: Part) {
  const { archives, pagination } = draft;
  return (
    <>
      <Switch
        label="Guess archives"
        hint="Such as /2025/12/, when few URLs are left."
        value={archives.enabled}
        error={faults.get("archives")}
        onChange={(enabled) => onChange({ ...draft, archives: { ...archives, enabled } })}
      />
      <Switch
        label="Guess pages of lists"
        hint="Such as ?page=3, when a list does not link to it."
        value={pagination.enabled}
        error={faults.get("pagination")}
        onChange={(enabled) => onChange({ ...draft, pagination: { ...pagination, enabled } })}
      />
    </>
  );
}

function ValidationSwitches({ draft, faults, onChange }: Part) {
  const { validation } = draft;
  return (
    <>
      <Switch
        label="Reject what is no page"
        hint="Bot checks, consent walls, parked domains."
        value={validation.enabled}
        error={faults.get("validation.enabled")}
        onChange={(enabled) => onChange({ ...draft, validation: { ...validation, enabled } })}
      />
      <Switch
        label="Detect soft 404s"
        hint="Missing pages that a site answers with 200. Only if such answers are rejected."
        value={validation.soft_404}
        error={faults.get("validation.soft_404")}
        onChange={(soft_404) => onChange({ ...draft, validation: { ...validation, soft_404 } })}
      />
    </>
  );
}

function RepetitionSwitches({ draft, faults, onChange }: Part) {
  const { traps, similarity } = draft;
  return (
    <>
      <Switch
        label="Avoid traps"
        hint="Similar URLs that bring nothing new, such as endless calendars."
        value={traps.enabled}
        error={faults.get("traps")}
        onChange={(enabled) => onChange({ ...draft, traps: { ...traps, enabled } })}
      />
      <SelectField
        label="Near-duplicates"
        hint="Pages whose text is nearly the same as that of another page of their domain."
        error={faults.get("similarity")}
        value={readNear(similarity)}
        options={[
          ["keep", "Store and mark them"],
          ["drop", "Do not store them"],
          ["off", "Do not look for them"],
        ]}
        any="Server setting"
        onChange={(choice) =>
          onChange({ ...draft, similarity: chooseNear(similarity, choice as NearChoice) })
        }
      />
    </>
  );
}

function FeedFields({ draft, faults, onChange }: Part) {
  return (
    <>
      <Checkbox isChecked={draft.feeds} onChange={(feeds) => onChange({ ...draft, feeds })}>
        Find and follow feeds
      </Checkbox>
      {draft.feeds && (
        <NumberField
          label="Poll feeds every"
          hint="Minutes."
          value={draft.feedInterval}
          error={faults.get("feed_interval_minutes")}
          onChange={(feedInterval) => onChange({ ...draft, feedInterval })}
        />
      )}
    </>
  );
}

function Switch({
  label,
  hint,
  value,
  error,
  onChange,
}: {
  label: string;
  hint: string;
  value: boolean | null | undefined;
  error: string | undefined;
  onChange: (value: boolean | null) => void;
}) {
  return (
    <SelectField
      label={label}
      hint={hint}
      error={error}
      value={readSwitch(value)}
      options={[
        ["on", "On"],
        ["off", "Off"],
      ]}
      any="Server setting"
      onChange={(choice) => onChange(chooseSwitch(choice as SwitchChoice))}
    />
  );
}
