import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { TextField } from "../../forms/fields";
import { FormDialog } from "../../forms/form";
import { useAction } from "../../forms/use-action";
import { AdminOnly } from "../../shell/admin-only";
import { Badge, Button, Heading, Panel } from "../../ui/basics";
import { SegmentedControl } from "../../ui/controls";
import { Confirm } from "../../ui/dialog";
import { notify } from "../../ui/notices";
import { RowList } from "../../ui/row-list";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type User = Schemas["User"];

export function Users() {
  return (
    <AdminOnly note="Ask an administrator for an account or another role.">
      <UserList />
    </AdminOnly>
  );
}

function UserList() {
  const [isAdding, setAdding] = useState(false);
  const list = useList("/api/v1/users");
  return (
    <>
      <Heading title="Users">
        <Button kind="primary" onClick={() => setAdding(true)}>
          Add user
        </Button>
      </Heading>
      <Panel>
        <RowList list={list} empty={null}>
          {(user) => <UserRow key={user.id} user={user} />}
        </RowList>
      </Panel>
      {isAdding && <NewUser onClose={() => setAdding(false)} />}
    </>
  );
}

function UserRow({ user }: { user: User }) {
  const { name } = useRole();
  const [isRemoving, setRemoving] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const path = { user_id: user.id };
  const refreshes = ["users"];
  const change = useAction({
    perform: (body: Schemas["UserChange"]) => call("patch", "/api/v1/users/{user_id}", { path, body }),
    success: (found) => `${found.name} was changed. All sessions of this user have ended.`,
    refreshes,
  });
  const end = useAction({
    perform: () => call("delete", "/api/v1/users/{user_id}/sessions", { path }),
    success: () => `All sessions of ${user.name} have ended.`,
    refreshes,
  });
  const remove = useAction({
    perform: () => call("delete", "/api/v1/users/{user_id}", { path }),
    success: () => `${user.name} was removed.`,
    refreshes,
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
          {user.role === "admin" ? "Make user" : "Make administrator"}
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
          action="Remove user"
          isDangerous
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          Sessions and tokens of this user end immediately. The audit log keeps what the user did.
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

  return (
    <FormDialog
      title={`New password for ${reveal(name)}`}
      action="Set password"
      canSubmit={!isBusy}
      onSubmit={() => onChoose(password)}
      onClose={onClose}
    >
      <TextField
        label="Password"
        type="password"
        hint="At least 12 characters. The user can change it. All sessions of the user end."
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        minLength={12}
        required
      />
    </FormDialog>
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
      notify("ok", `${user.name} can now log in.`);
      await queries.invalidateQueries({ queryKey: ["users"] });
      onClose();
    },
  });

  return (
    <FormDialog
      title="Add user"
      action="Add user"
      canSubmit={!add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} autoComplete="off" maxLength={64} required />
      <TextField
        label="Password"
        type="password"
        hint="At least 12 characters. The user can change it."
        value={password}
        onChange={setPassword}
        error={add.error?.message}
        autoComplete="new-password"
        minLength={12}
        required
      />
      <SegmentedControl
        label="Role"
        value={role}
        options={[
          ["user", "User: read-only"],
          ["admin", "Administrator: full access"],
        ]}
        onChange={setRole}
      />
    </FormDialog>
  );
}
