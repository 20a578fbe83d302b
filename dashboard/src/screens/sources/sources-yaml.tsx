import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Answer, callText, type Fault, formatPath, Problem, sendYaml } from "../../api/client";
import { invalidate } from "../../api/queries";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { Checkbox } from "../../forms/fields";
import { Button, buttonClass, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { notify } from "../../ui/notices";
import { ParentLink } from "../../ui/parent-link";
import { State } from "../../ui/states";
import { Untrusted } from "../../ui/untrusted";
import { JOB_NOUNS } from "../jobs/job-states";
import { describeValue, lineOf, selectionOf } from "./yaml-lines";

type Applied = Answer<"/api/v1/sources/apply", "post">;

export function SourcesYaml() {
  return (
    <>
      <Heading title="Sources as YAML" above={<ParentLink to="/sources">Sources</ParentLink>} />
      <YamlEditor />
    </>
  );
}

/** The YAML of one source or of all. It shows what a file would change before it is applied. */
export function YamlEditor({ sourceId }: { sourceId?: number }) {
  const address = formatPath("/api/v1/sources/export", {}, { source_id: sourceId });
  const [text, setText] = useState<string | null>(null);
  const [loadError, setLoadError] = useState<unknown>(null);
  const [isPruning, setPruning] = useState(false);
  const { isAdmin } = useRole();
  const queries = useQueryClient();

  const load = useMutation({
    mutationFn: () => callText(address),
    onSuccess: (found) => setText(found === "[]\n" ? "" : found),
    onError: setLoadError,
  });
  const { mutate: reload } = load;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reload when the address changes
  useEffect(() => reload(), [reload, address]);

  const check = useMutation({
    mutationFn: () => sendYaml("/api/v1/sources/apply", text ?? "", { dry_run: true, prune: isPruning }),
  });
  const apply = useMutation({
    mutationFn: () => sendYaml("/api/v1/sources/apply", text ?? "", { dry_run: false, prune: isPruning }),
    onSuccess: async (done) => {
      const count = done.changes.filter((each) => each.kind !== "unchanged").length;
      notify(
        "ok",
        count === 0 ? "Nothing to change: all sources match the file." : `File applied: ${count} changed.`,
      );
      check.reset();
      await invalidate(queries, JOB_NOUNS);
      reload();
    },
  });

  function change(next: string) {
    setText(next);
    check.reset();
    apply.reset();
  }

  if (loadError !== null && text === null) return <LoadError error={loadError} />;
  const error = apply.error ?? check.error;
  const faults = error instanceof Problem ? error.faults : [];
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Panel className="overflow-hidden">
        {text === null ? (
          <Skeleton className="m-4 h-96" />
        ) : (
          <Editor text={text} faults={faults} isReadOnly={!isAdmin} onChange={change} />
        )}
      </Panel>
      <Panel title={isAdmin ? "Changes" : "Download"}>
        <div className="flex flex-col gap-4 px-4 pb-4">
          {isAdmin && <Outcome planned={check.data} error={error} isEmpty={(text ?? "").trim() === ""} />}
          {!isAdmin && (
            <p className="text-quiet">Only administrators can apply files. You can download this one.</p>
          )}
          {isAdmin && sourceId === undefined && (
            <Checkbox
              isChecked={isPruning}
              onChange={(value) => {
                setPruning(value);
                check.reset();
              }}
            >
              Also remove sources that are not in the file
            </Checkbox>
          )}
          <div className="flex flex-wrap gap-2">
            {isAdmin && (
              <>
                <Button disabled={!text || check.isPending} onClick={() => check.mutate()}>
                  Check
                </Button>
                <Button
                  kind="primary"
                  disabled={!check.data || apply.isPending}
                  onClick={() => apply.mutate()}
                >
                  Apply
                </Button>
              </>
            )}
            <a href={address} download="sources.yaml" className={buttonClass("quiet")}>
              Download
            </a>
          </div>
        </div>
      </Panel>
    </div>
  );
}

function Editor({
  text,
  faults,
  isReadOnly,
  onChange,
}: {
  text: string;
  faults: readonly Fault[];
  isReadOnly: boolean;
  onChange: (text: string) => void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split("\n").length;
  const wrong = new Map(faults.map((each) => [lineOf(each), each.message]));

  function show(line: number) {
    const element = area.current;
    if (!element) return;
    const [start, end] = selectionOf(text, line);
    element.focus();
    element.setSelectionRange(start, end);
    element.scrollTop = (line - 5) * parseFloat(getComputedStyle(element).lineHeight);
  }

  return (
    <>
      <div className="flex h-[min(34rem,60dvh)] font-mono text-xs leading-5">
        <div
          ref={gutter}
          aria-hidden="true"
          className="w-11 shrink-0 overflow-hidden border-r border-line bg-sunken py-3 pr-2 text-right text-faint select-none"
        >
          {Array.from({ length: lines }, (_, index) => (
            <div key={index} className={wrong.has(index + 1) ? "font-semibold text-bad" : ""}>
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label="YAML"
          aria-invalid={faults.length > 0}
          aria-describedby={faults.length > 0 ? "yaml-faults" : undefined}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
          readOnly={isReadOnly}
          spellCheck={false}
          wrap="off"
          placeholder={
            "- name: Example news\n  seeds: [https://example.com/news/]\n  schedule: {interval_minutes: 6, interval_type: hours}"
          }
          className="min-w-0 flex-1 resize-none bg-panel px-3 py-3 leading-5 text-ink -outline-offset-2 placeholder:text-faint"
        />
      </div>
      {faults.length > 0 && (
        <ul id="yaml-faults" className="max-h-48 overflow-y-auto border-t border-line px-4 py-2">
          {faults.map((fault) => (
            <li key={`${fault.where}${fault.message}`} className="py-0.5">
              <button
                type="button"
                onClick={() => show(lineOf(fault))}
                className="text-left text-bad hover:underline"
              >
                <span className="font-medium">{fault.where}:</span> <bdi>{reveal(fault.message)}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Outcome({
  planned,
  error,
  isEmpty,
}: {
  planned: Applied | undefined;
  error: Error | null;
  isEmpty: boolean;
}) {
  if (error) {
    return (
      <p role="alert" className="text-bad">
        {reveal(
          error instanceof Problem && error.faults.length > 0
            ? "The file is invalid, and nothing was changed. The errors are listed below the editor."
            : error.message,
        )}
      </p>
    );
  }
  if (!planned) {
    return (
      <p className="text-quiet">
        {isEmpty
          ? "Write or paste a list of sources. “Check” shows what it would change."
          : "“Check” shows what the file would change, without applying it."}
      </p>
    );
  }
  const moved = planned.changes.filter((each) => each.kind !== "unchanged");
  const same = planned.changes.length - moved.length;
  return (
    <div role="status" className="flex flex-col gap-3">
      {moved.length === 0 && <p>Nothing would change: {same} sources match the file.</p>}
      <ul tabIndex={0} aria-label="Changes" className="max-h-96 overflow-y-auto">
        {moved.map((change) => (
          <li key={change.name} className="border-t border-line py-2 first:border-t-0">
            <p className="flex flex-wrap items-center gap-2">
              <State state={change.kind} meanings={{}} />{" "}
              <Untrusted text={change.name} className="font-medium" />
            </p>
            <dl className="mt-1 grid grid-cols-[fit-content(45%)_minmax(0,1fr)] gap-x-4 text-xs">
              {change.fields
                .filter((each) => each.field !== "name" || change.kind !== "added")
                .map((field) => (
                  <div key={field.field} className="contents">
                    <dt className="min-w-0 break-words text-quiet">{reveal(field.field)}</dt>
                    <dd className="font-mono break-words">
                      {field.old !== null && (
                        <del className="mr-2 text-bad">{reveal(describeValue(field.old))}</del>
                      )}
                      {field.new !== null && (
                        <ins className="text-ok no-underline">{reveal(describeValue(field.new))}</ins>
                      )}
                    </dd>
                  </div>
                ))}
            </dl>
          </li>
        ))}
      </ul>
      {moved.length > 0 && same > 0 && <p className="text-quiet">{same} unchanged.</p>}
      {planned.warnings.length > 0 && (
        <ul className="text-warn">
          {planned.warnings.map((warning) => (
            <li key={warning}>{reveal(warning)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
