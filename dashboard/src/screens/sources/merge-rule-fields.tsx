import { Checkbox, LinesField, TextField } from "../../forms/fields";
import { Button } from "../../ui/basics";
import { freshRule, type MergeDraft } from "./merge-rules";

/** The merge rules of a source or a crawl. `error`: what the API rejected. */
export function MergeRuleFields({
  rules,
  error,
  onChange,
}: {
  rules: readonly MergeDraft[];
  error?: string | undefined;
  onChange: (rules: MergeDraft[]) => void;
}) {
  const set = (rule: MergeDraft) => onChange(rules.map((each) => (each.id === rule.id ? rule : each)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium text-quiet text-xs">Merge rules</legend>
      <p className="text-faint text-xs">
        URLs of a domain that differ only in what a rule ignores count as one. Only one of them is fetched.
      </p>
      {rules.map((rule, at) => (
        <Rule
          key={rule.id}
          rule={rule}
          number={at + 1}
          onChange={set}
          onRemove={() => onChange(rules.filter((each) => each.id !== rule.id))}
        />
      ))}
      {error && (
        <p role="alert" className="text-bad text-xs">
          {error}
        </p>
      )}
      <div>
        <Button type="button" onClick={() => onChange([...rules, freshRule(rules)])}>
          Add merge rule
        </Button>
      </div>
    </fieldset>
  );
}

function Rule({
  rule,
  number,
  onChange,
  onRemove,
}: {
  rule: MergeDraft;
  number: number;
  onChange: (rule: MergeDraft) => void;
  onRemove: () => void;
}) {
  const text = (name: "name" | "under" | "parameters", label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      value={rule[name]}
      onChange={(value) => onChange({ ...rule, [name]: value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
  return (
    <fieldset
      aria-label={`Merge rule ${number}`}
      className="grid gap-3 rounded-md border border-line p-3 sm:grid-cols-2"
    >
      {text("parameters", "Parameters to ignore", "Names, separated by commas: sort, view.")}
      {text("under", "Applies to", "example.com, example.com/list or /list. Empty: everything.")}
      <LinesField
        label="Parameters matching"
        hint="RE2 patterns on name=value, one per line: ^page=1$."
        rows={2}
        value={rule.patterns}
        onChange={(patterns) => onChange({ ...rule, patterns })}
      />
      {text("name", "Label", "Shown in explanations. Empty: a description of the rule.")}
      <Checkbox isChecked={rule.isSlash} onChange={(isSlash) => onChange({ ...rule, isSlash })}>
        Treat /a and /a/ as one
      </Checkbox>
      <div className="sm:text-right">
        <Button type="button" onClick={onRemove} aria-label={`Remove merge rule ${number}`}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
