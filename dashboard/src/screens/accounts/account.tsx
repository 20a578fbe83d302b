import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { startSession, useRole, useSession } from "../../api/session";
import { Checkbox, TextField, toggle } from "../../forms/fields";
import { Form, FormDialog } from "../../forms/form";
import { useAction } from "../../forms/use-action";
import { Badge, Button, Empty, Facts, Heading, Panel } from "../../ui/basics";
import { SegmentedControl } from "../../ui/controls";
import { Dialog } from "../../ui/dialog";
import { notify } from "../../ui/notices";
import { RowList } from "../../ui/row-list";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Scope = Schemas["TokenScope"];

export function Account() {
  const { data: session } = useSession();
  return (
    <>
      <Heading title="Your account" />
      <div className="grid gap-4 lg:grid-cols-2">
        <Panel title="Profile">
          <Facts
            facts={[
              { label: "Name", value: <Untrusted text={session?.name ?? ""} /> },
              { label: "Role", value: session?.role },
            ]}
          />
        </Panel>
        <Password />
      </div>
      <Tokens />
    </>
  );
}

function Password() {
  const queries = useQueryClient();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => call("post", "/api/v1/auth/password", { body: { current, new: next } }),
    onSuccess: (session) => {
      startSession(queries, session);
      setCurrent("");
      setNext("");
      notify("ok", "Password changed. Your other sessions have ended.");
    },
  });

  return (
    <Panel title="Password">
      <Form onSubmit={() => change.mutate()} className="grid gap-3 px-4 pb-4 sm:grid-cols-2">
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          required
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
          error={change.error?.message}
          value={next}
          onChange={setNext}
          minLength={12}
          required
        />
        <div>
          <Button type="submit" disabled={change.isPending}>
            Change password
          </Button>
        </div>
      </Form>
    </Panel>
  );
}

function Tokens() {
  const { isAdmin } = useRole();
  const [whose, setWhose] = useState<"mine" | "all">("mine");
  const [isMaking, setMaking] = useState(false);
  const list = useList("/api/v1/tokens", { query: { everybody: whose === "all" } });
  const revoke = useAction({
    perform: (id: number) => call("delete", "/api/v1/tokens/{token_id}", { path: { token_id: id } }),
    success: () => "Token revoked.",
    refreshes: ["tokens"],
  });
  return (
    <Panel
      title="API tokens"
      aside={
        <span className="flex items-center gap-2">
          {isAdmin && (
            <SegmentedControl
              label="Owner"
              value={whose}
              options={[
                ["mine", "Mine"],
                ["all", "All users"],
              ]}
              onChange={setWhose}
            />
          )}
          <Button onClick={() => setMaking(true)}>Create token</Button>
        </span>
      }
    >
      <RowList
        list={list}
        empty={<Empty title="No tokens">A program sends its token as `Authorization: Bearer …`.</Empty>}
      >
        {(token) => (
          <li
            key={token.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2.5"
          >
            <div className="min-w-40 flex-1">
              <p className="font-medium">
                <Untrusted text={token.name} />{" "}
                {whose === "all" && (
                  <Untrusted text={`(${token.owner})`} className="font-normal text-quiet" />
                )}
              </p>
              <p className="font-mono text-xs text-faint">tnx_{token.key}…</p>
            </div>
            <span className="flex gap-1">
              {token.scopes.map((scope) => (
                <Badge key={scope} tone="quiet">
                  {scope}
                </Badge>
              ))}
            </span>
            <span className="w-36 text-quiet text-xs">
              last used <Time at={token.last_used_at} />
            </span>
            <span className="w-36 text-quiet text-xs">
              {token.expires_at ? (
                <>
                  expires <Time at={token.expires_at} />
                </>
              ) : (
                "never expires"
              )}
            </span>
            <Button
              kind="danger"
              disabled={revoke.isPending}
              onClick={() => revoke.mutate(token.id)}
              aria-label={`Revoke ${token.name}`}
            >
              Revoke
            </Button>
          </li>
        )}
      </RowList>
      {isMaking && <NewToken onClose={() => setMaking(false)} />}
    </Panel>
  );
}

const DAYS = [
  ["30", "30 days"],
  ["365", "1 year"],
  ["", "No expiry"],
] as const;

function NewToken({ onClose }: { onClose: () => void }) {
  const { isAdmin } = useRole();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["read"]);
  const [days, setDays] = useState<"30" | "365" | "">("365");
  const make = useMutation({
    mutationFn: () =>
      call("post", "/api/v1/tokens", {
        body: {
          name,
          scopes,
          expires_at: days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : null,
        },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["tokens"] }),
  });
  const offered: Scope[] = isAdmin ? ["read", "write", "metrics", "admin"] : ["read", "metrics"];

  if (make.data) {
    return (
      <Dialog title="New token" onClose={onClose}>
        <p className="text-quiet">Copy it now. It will not be shown again.</p>
        <input
          readOnly
          aria-label="Token"
          value={make.data.token}
          onFocus={(event) => event.target.select()}
          className="field mt-3 w-full font-mono text-xs"
        />
        <div className="mt-5 flex justify-end gap-2">
          <Button
            onClick={() =>
              void navigator.clipboard
                .writeText(make.data.token)
                .then(() => notify("ok", "Copied to the clipboard."))
            }
          >
            Copy
          </Button>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Create token"
      action="Create token"
      canSubmit={!make.isPending && scopes.length > 0}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="What the token is for."
        value={name}
        onChange={setName}
        error={make.error?.message}
        maxLength={64}
        required
      />
      <fieldset>
        <legend className="text-xs font-medium text-quiet">Scopes</legend>
        {offered.map((scope) => (
          <Checkbox
            key={scope}
            className="mr-5 inline-flex"
            isChecked={scopes.includes(scope)}
            onChange={(isOn) => setScopes(toggle(scopes, scope, isOn))}
          >
            {scope}
          </Checkbox>
        ))}
      </fieldset>
      <SegmentedControl label="Expires after" value={days} options={DAYS} onChange={setDays} />
    </FormDialog>
  );
}
