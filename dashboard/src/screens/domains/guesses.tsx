import { call, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCount } from "../../format/numbers";
import { useAction } from "../../forms/use-action";
import { Button, Empty, LoadError, Panel, Skeleton } from "../../ui/basics";
import { State } from "../../ui/states";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { describeRule, GUESS_STATES } from "./guess-words";

type ListRule = Schemas["PaginationRuleView"];
type ArchiveRule = Schemas["ArchivePatternView"];
type Kind = "pagination" | "archives";

/** What crawls have learned about the lists and archives of a domain. Administrators can change it. */
export function Guesses({ name }: { name: string }) {
  const { data, error, refetch } = useApi("/api/v1/domains/{name}/guesses", { path: { name } });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-72" />;
  return (
    <>
      <Rules
        name={name}
        kind="pagination"
        title="Lists"
        rules={data.pagination}
        empty="Crawls learn how lists are paged if they may guess pages of lists."
      />
      <Rules
        name={name}
        kind="archives"
        title="Archives"
        rules={data.archives}
        empty="Crawls learn where archives are if they may guess archives."
      />
    </>
  );
}

function Rules({
  name,
  kind,
  title,
  rules,
  empty,
}: {
  name: string;
  kind: Kind;
  title: string;
  rules: readonly (ListRule | ArchiveRule)[];
  empty: string;
}) {
  return (
    <Panel title={title} aside={rules.length > 0 ? formatCount(rules.length) : undefined}>
      {rules.length === 0 ? (
        <Empty title="Nothing learned yet">{empty}</Empty>
      ) : (
        <ul className="px-4 pb-4">
          {rules.map((rule) => (
            <li
              key={rule.pattern}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-t py-2 first:border-t-0"
            >
              <Untrusted text={rule.pattern} className="min-w-0 flex-1 font-mono text-[0.92em]" />
              <State state={rule.state} meanings={GUESS_STATES} />
              <span className="text-quiet">{describeRule(rule)}</span>
              {rule.set_by !== null && <Untrusted text={`set by ${rule.set_by}`} className="text-quiet" />}
              <Time at={rule.changed_at} className="text-quiet" />
              <Actions name={name} kind={kind} rule={rule} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Actions({ name, kind, rule }: { name: string; kind: Kind; rule: ListRule | ArchiveRule }) {
  const { isAdmin } = useRole();
  const route = `/api/v1/domains/{name}/${kind}` as "/api/v1/domains/{name}/pagination";
  const set = useAction({
    perform: (state: Schemas["ChosenState"]) =>
      call("put", route, { path: { name }, body: { pattern: rule.pattern, state } }),
    success: (_, state) => `${rule.pattern} is now ${state}.`,
    refreshes: ["domains"],
  });
  const remove = useAction({
    perform: () => call("delete", route, { path: { name }, query: { pattern: rule.pattern } }),
    success: () => `${rule.pattern} is forgotten.`,
    refreshes: ["domains"],
  });
  if (!isAdmin) return null;
  const isOff = rule.state === "off";
  return (
    <span className="flex gap-1.5">
      <Button
        isSmall
        aria-label={`${isOff ? "Guess by" : "Do not guess by"} ${rule.pattern}`}
        disabled={set.isPending}
        onClick={() => set.mutate(isOff ? "valid" : "off")}
      >
        {isOff ? "Turn on" : "Turn off"}
      </Button>
      <Button
        isSmall
        aria-label={`Forget ${rule.pattern}`}
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      >
        Forget
      </Button>
    </span>
  );
}
