import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatPercent } from "../../format/numbers";
import { reveal } from "../../format/text";
import { readFieldErrors } from "../../forms/field-errors";
import { Checkbox, NumberField, TextField, toggle } from "../../forms/fields";
import { FormDialog } from "../../forms/form";
import { readNumber } from "../../forms/parse";
import { useAction } from "../../forms/use-action";
import { AdminOnly } from "../../shell/admin-only";
import { Badge, Button, Empty, Heading, Panel } from "../../ui/basics";
import { Confirm, Dialog } from "../../ui/dialog";
import { RowList } from "../../ui/row-list";
import { Untrusted } from "../../ui/untrusted";
import { SourceField } from "../sources/source-select";

type Webhook = Schemas["WebhookView"];

const EVENTS = [
  ["run.finished", "A run has ended"],
  ["source.changed", "A source has new or changed pages"],
  ["domain.blocked", "A domain refuses the crawler"],
  ["item.changed", "Items are new, changed or gone"],
  ["product.price_changed", "The price of a product changes"],
  ["product.price_dropped", "A product becomes cheaper"],
  ["product.new_low", "A product is cheaper than ever before"],
  ["product.availability_changed", "A product goes out of stock or comes back"],
  ["parser.degraded", "A parser does worse than before"],
] as const;
type Event = (typeof EVENTS)[number][0];
const DROPPED = "product.price_dropped";
// A receiver of alerts chooses them: each change of a price may be several.
const CHOSEN = EVENTS.map(([key]) => key).filter((key) => !key.startsWith("product."));

export function Webhooks() {
  return (
    <AdminOnly note="Webhooks notify other programs of events.">
      <WebhookList />
    </AdminOnly>
  );
}

function WebhookList() {
  const [isAdding, setAdding] = useState(false);
  const list = useList("/api/v1/webhooks", { every_ms: 10_000 });
  return (
    <>
      <Heading title="Webhooks">
        <Button kind="primary" onClick={() => setAdding(true)}>
          Add webhook
        </Button>
      </Heading>
      <Panel>
        <RowList
          list={list}
          empty={
            <Empty title="No webhooks yet">
              Add a URL to receive signed messages: when a run ends, pages or items change, a product becomes
              cheaper, or a domain is blocked.
            </Empty>
          }
        >
          {(hook) => <WebhookRow key={hook.id} hook={hook} />}
        </RowList>
      </Panel>
      {isAdding && <NewWebhook onClose={() => setAdding(false)} />}
    </>
  );
}

function WebhookRow({ hook }: { hook: Webhook }) {
  const [isRemoving, setRemoving] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const path = { id: hook.id };
  const refreshes = ["webhooks"];
  const turn = useAction({
    perform: () =>
      call("put", "/api/v1/webhooks/{id}", {
        path,
        body: {
          name: hook.name,
          url: hook.url,
          events: hook.events as readonly Event[],
          source_id: hook.source_id,
          min_drop: hook.min_drop,
          enabled: !hook.enabled,
        },
      }),
    success: (now) => `${now.name} is now ${now.enabled ? "enabled" : "disabled"}.`,
    refreshes,
  });
  const test = useAction({
    perform: () => call("post", "/api/v1/webhooks/{id}/test", { path }),
    success: () => "A test message will be sent within seconds. See its result under deliveries.",
    refreshes,
  });
  const rotate = useAction({
    perform: () => call("post", "/api/v1/webhooks/{id}/rotate-secret", { path }),
    onSuccess: () => setRotating(false),
    refreshes,
  });
  const remove = useAction({
    perform: () => call("delete", "/api/v1/webhooks/{id}", { path }),
    success: () => `${hook.name} was removed.`,
    refreshes,
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-2.5 first:border-t-0">
      <div className="min-w-40 flex-1">
        <Link to="/webhooks/$id" params={{ id: String(hook.id) }} className="font-medium hover:underline">
          <bdi>{reveal(hook.name)}</bdi>
        </Link>
        <p className="text-xs text-quiet">
          <Untrusted text={hook.url} className="font-mono" />
        </p>
      </div>
      <span className="flex flex-wrap gap-1.5">
        {hook.events.map((event) => (
          <Badge key={event} tone="quiet">
            {event}
            {event === DROPPED && hook.min_drop ? ` ≥ ${formatPercent(hook.min_drop)}` : ""}
          </Badge>
        ))}
        {!hook.enabled && <Badge tone="warn">disabled</Badge>}
      </span>
      <span className="flex flex-wrap gap-1.5">
        <Button disabled={test.isPending || !hook.enabled} onClick={() => test.mutate()}>
          Test
        </Button>
        <Button disabled={turn.isPending} onClick={() => turn.mutate()}>
          {hook.enabled ? "Disable" : "Enable"}
        </Button>
        <Button aria-label={`New secret for ${hook.name}`} onClick={() => setRotating(true)}>
          New secret
        </Button>
        <Button kind="danger" aria-label={`Remove ${hook.name}`} onClick={() => setRemoving(true)}>
          Remove
        </Button>
      </span>
      {isRotating && (
        <Confirm
          title={`Create a new secret for ${reveal(hook.name)}?`}
          action="Create secret"
          isBusy={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={() => setRotating(false)}
        >
          For 24 hours, messages are also signed with the old secret, so that you can update the receiver.
        </Confirm>
      )}
      {rotate.data && <Secret secret={rotate.data.secret} onClose={rotate.reset} />}
      {isRemoving && (
        <Confirm
          title={`Remove ${reveal(hook.name)}?`}
          action="Remove webhook"
          isDangerous
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          Its deliveries are removed, too, including pending ones.
        </Confirm>
      )}
    </li>
  );
}

const FIELDS = ["name", "url", "events", "source_id", "min_drop"];

function NewWebhook({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [source, setSource] = useState("");
  const [events, setEvents] = useState<readonly Event[]>(CHOSEN);
  const [minDrop, setMinDrop] = useState("");
  const percent = events.includes(DROPPED) ? readNumber(minDrop) : null;
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: () =>
      call("post", "/api/v1/webhooks", {
        body: {
          name: name.trim(),
          url: url.trim(),
          events,
          source_id: source ? Number(source) : null,
          min_drop: percent === null ? null : percent / 100,
          enabled: true,
        },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  const faults = readFieldErrors(add.error, FIELDS);

  if (add.data) return <Secret secret={add.data.secret} onClose={onClose} />;
  return (
    <FormDialog
      title="Add webhook"
      action="Add webhook"
      canSubmit={events.length > 0 && !Number.isNaN(percent) && !add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={faults.get("name")}
        autoComplete="off"
        maxLength={64}
        required
      />
      <TextField
        label="URL"
        hint="Messages are sent to it with POST. Private addresses are refused unless the settings allow them."
        value={url}
        onChange={setUrl}
        error={faults.get("url")}
        placeholder="https://example.com/hooks/tenax"
        autoComplete="off"
        required
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-xs font-medium text-quiet">Events</legend>
        {EVENTS.map(([key, text]) => (
          <Checkbox
            key={key}
            isChecked={events.includes(key)}
            onChange={(isOn) => setEvents(toggle(events, key, isOn))}
          >
            {text}
          </Checkbox>
        ))}
      </fieldset>
      {events.includes(DROPPED) && (
        <NumberField
          label="Least drop, in percent"
          hint="Smaller drops of a price are not sent. Empty: any drop."
          value={minDrop}
          onChange={setMinDrop}
          error={faults.get("min_drop")}
        />
      )}
      <SourceField
        label="Source"
        error={faults.get("source_id")}
        value={source}
        any="All sources"
        onChange={setSource}
      />
      <p role="alert" className="text-bad">
        {add.error && reveal(faults.get("") ?? "")}
      </p>
    </FormDialog>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="Webhook secret" onClose={onClose}>
      <p className="text-quiet">
        Messages are signed with this secret. The receiver needs it to verify them. It will not be shown
        again.
      </p>
      <p
        className="mt-3 rounded-[7px] bg-sunken px-3 py-2 font-mono break-all select-all"
        data-testid="secret"
      >
        {secret}
      </p>
      <div className="mt-5 flex justify-end">
        <Button kind="primary" onClick={onClose}>
          I have saved it
        </Button>
      </div>
    </Dialog>
  );
}
