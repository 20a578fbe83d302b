import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useRole } from "../../api/session";
import { formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { useAction } from "../../forms/use-action";
import { Button, Panel } from "../../ui/basics";
import { Confirm } from "../../ui/dialog";
import { ExplainLink, Untrusted } from "../../ui/untrusted";
import { PlainTable, RowHead } from "./parts";

type Comparison = Schemas["ComparisonView"];
type Field = Comparison["fields"][number];

const TEXTS = ["Field", "Current", "Candidate", "Page"] as const;
const COUNTS = [
  ["Same", "same"],
  ["Different", "different"],
  ["Only current", "only_current"],
  ["Only candidate", "only_candidate"],
] as const;

/** A candidate beside the current version, field by field. */
export function Trial({ trial }: { trial: Comparison }) {
  const { isAdmin } = useRole();
  return (
    <Panel
      title={`Version ${reveal(trial.version)} and candidate ${reveal(trial.candidate)}`}
      aside={isAdmin && trial.source !== null && <Promotion trial={trial} source={trial.source} />}
    >
      <p className="px-4 pb-2 text-quiet">
        {trial.source === null ? (
          "A removed source"
        ) : (
          <Link
            to="/sources/$id"
            params={{ id: String(trial.source_id) }}
            className="text-accent hover:underline"
          >
            <Untrusted text={trial.source} />
          </Link>
        )}
        {`, ${countPages(trial)}`} {trial.last_failure !== null && <Untrusted text={trial.last_failure} />}
      </p>
      <PlainTable
        label={`Fields of candidate ${reveal(trial.candidate)}`}
        heads={[...TEXTS, ...COUNTS.map(([head]) => head)]}
        texts={TEXTS.length}
      >
        {trial.fields.map((field) => (
          <FieldRow key={field.field} field={field} />
        ))}
      </PlainTable>
    </Panel>
  );
}

function countPages({ pages_same, pages_different, pages_failed }: Comparison): string {
  const pages = pages_same + pages_different + pages_failed;
  const parts = `${formatCount(pages_same)} alike, ${formatCount(pages_different)} different, ${formatCount(pages_failed)} failed`;
  return `${pages === 1 ? "1 page" : `${formatCount(pages)} pages`}: ${parts}.`;
}

/** The counts come last: on a phone, what differs is seen first. */
function FieldRow({ field }: { field: Field }) {
  const { example_url: url } = field;
  return (
    <tr className="h-8 border-t border-line/60">
      <RowHead>
        <Untrusted text={field.field} />
      </RowHead>
      <Value>{url !== null && <Example json={field.example_current} />}</Value>
      <Value>{url !== null && <Example json={field.example_candidate} />}</Value>
      <Value isWide>{url !== null && <ExplainLink url={url} />}</Value>
      {COUNTS.map(([head, name]) => (
        <td key={head} className="px-3 text-right">
          {formatCount(field[name])}
        </td>
      ))}
    </tr>
  );
}

function Value({ isWide = false, children }: { isWide?: boolean; children: ReactNode }) {
  return <td className={`truncate px-3 ${isWide ? "max-w-72" : "max-w-36"}`}>{children}</td>;
}

function Example({ json }: { json: string | null }) {
  if (json === null) return <span className="text-faint">nothing</span>;
  return (
    <span title={reveal(json)}>
      <Untrusted text={json} />
    </span>
  );
}

function Promotion({ trial, source }: { trial: Comparison; source: string }) {
  const [isAsking, setAsking] = useState(false);
  const { mutate: promote, isPending } = useAction({
    perform: () =>
      call("post", "/api/v1/parsers/{name}/promote", {
        path: { name: trial.parser },
        body: { source_id: trial.source_id },
      }),
    success: (promoted) => `The candidate is now the parser of ${promoted.source}, from its next run on.`,
    onSettled: () => setAsking(false),
    refreshes: ["parsers", "sources"],
  });
  return (
    <>
      <Button isSmall onClick={() => setAsking(true)}>
        Promote candidate
      </Button>
      {isAsking && (
        <Confirm
          title={`Promote the candidate of ${reveal(trial.parser)}?`}
          action="Promote"
          isBusy={isPending}
          onConfirm={() => promote()}
          onClose={() => setAsking(false)}
        >
          <p>
            It replaces the parser in the definition of <Untrusted text={source} />. The next run requests
            each of its pages once, changed or not.
          </p>
        </Confirm>
      )}
    </>
  );
}
