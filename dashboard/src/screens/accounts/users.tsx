import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { Badge, Button, Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Confirm, Dialog } from "../../ui/dialog";
import { SegmentedControl, TextField } from "../../ui/forms";
import { notify } from "../../ui/notices";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type User = Schemas["User"];

export function Users() {
  const { isAdmin } = useRole();
  const [isAdding, setAdding] = useState(false);
  const list = useList("/api/v1/users", { isEnabled: isAdmin });
  if (!isAdmin)
    return <Empty title="This is for administrators">Ask one of them for an account or another role.</Empty>;
  return (
    <>
      <Heading title="Accounts">
        <Button kind="primary" onClick={() => setAdding(true)}>
          Add an account
        </Button>
      </Heading>
      <Panel>
        {list.error ? (
          <LoadError error={list.error} onRetry={list.reload} />
        ) : list.isLoading ? (
          <Skeleton className="m-4 h-32" />
        ) : (
          <ul>
            {list.rows.map((user) => (
              <UserRow key={user.id} user={user} />
            ))}
          </ul>
        )}
      </Panel>
      {isAdding && <NewUser onClose={() => setAdding(false)} />}
    </>
  );
}

function UserRow({ user }: { user: User }) {
  const { name } = useRole();
  const queries = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const path = { user_id: user.id };
  const settle = {
    onError: (error: Error) => notify("bad", error.message),
    onSettled: () => queries.invalidateQueries({ queryKey: ["users"] }),
  };
  const change = useMutation({
    mutationFn: (body: Schemas["UserChange"]) => call("patch", "/api/v1/users/{user_id}", { path, body }),
    onSuccess: (found) => notify("ok", `${found.name} is changed; its sessions have ended.`),
    ...settle,
  });
  const end = useMutation({
    mutationFn: () => call("delete", "/api/v1/users/{user_id}/sessions", { path }),
    onSuccess: () => notify("ok", `All sessions of ${user.name} have ended.`),
    ...settle,
  });
  const remove = useMutation({
    mutationFn: () => call("delete", "/api/v1/users/{user_id}", { path }),
    onSuccess: () => notify("ok", `${user.name} is removed.`),
    ...settle,
  });
  const isSelf = name === user.name;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-2.5 first:border-t-0">
      <p className="min-w-40 flex-1">
        <Untrusted text={user.name} className="font-medium" />{" "}
        {isSelf && <span className="text-faint">you</span>}
      </p>
      <Badge tone={user.role === "admin" ? "accent" : "quiet"}>{user.role}</Badge>
      {user.disabled_at && <Badge tone="warn">disabled</Badge>}
      <span className="w-36 text-quiet text-xs">
        since <Time at={user.created_at} />
      </span>
      <span className="flex flex-wrap gap-1.5">
        <Button onClick={() => change.mutate({ role: user.role === "admin" ? "user" : "admin" })}>
          {user.role === "admin" ? "Make it a user" : "Make it an administrator"}
        </Button>
        <Button onClick={() => change.mutate({ disabled: !user.disabled_at })}>
          {user.disabled_at ? "Enable" : "Disable"}
        </Button>
        <Button onClick={() => setChanging(true)}>Set password</Button>
        <Button onClick={() => end.mutate()}>End sessions</Button>
        <Button kind="danger" onClick={() => setRemoving(true)} aria-label={`Remove ${user.name}`}>
          Remove
        </Button>
      </span>
      {isChanging && (
        <NewPassword
          name={user.name}
          isBusy={change.isPending}
          onClose={() => setChanging(false)}
          onChoose={(password) => change.mutate({ password }, { onSuccess: () => setChanging(false) })}
        />
      )}
      {isRemoving && (
        <Confirm
          title={`Remove ${user.name}?`}
          action="Remove it"
          isDangerous
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          Its sessions and tokens end at once. What it did stays in the audit log.
        </Confirm>
      )}
    </li>
  );
}

function NewPassword({
  name,
  isBusy,
  onChoose,
  onClose,
}: {
  name: string;
  isBusy: boolean;
  onChoose: (password: string) => void;
  onClose: () => void;
}) {
  const [password, setPassword] = useState("");

  function submit(event: FormEvent) {
    event.preventDefault();
    onChoose(password);
  }

  return (
    <Dialog title={`A new password for ${reveal(name)}`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Password"
          type="password"
          hint="At least 12 characters; its owner can change it. All its sessions end."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="new-password"
          minLength={12}
          required
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="primary" type="submit" disabled={isBusy}>
            Set it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function NewUser({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<"user" | "admin">("user");
  const add = useMutation({
    mutationFn: () => call("post", "/api/v1/users", { body: { name, password, role } }),
    onSuccess: async (user) => {
      notify("ok", `${user.name} can log in now.`);
      await queries.invalidateQueries({ queryKey: ["users"] });
      onClose();
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    add.mutate();
  }

  return (
    <Dialog title="Add an account" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="off"
          maxLength={64}
          required
        />
        <TextField
          label="Password"
          type="password"
          hint="At least 12 characters; its owner can change it."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={add.error?.message}
          autoComplete="new-password"
          minLength={12}
          required
        />
        <SegmentedControl
          label="Role"
          value={role}
          options={[
            ["user", "User: reads everything"],
            ["admin", "Administrator: changes everything"],
          ]}
          onChange={setRole}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="primary" type="submit" disabled={add.isPending}>
            Add it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
