import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Navigate, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/client";
import { startSession, useSession } from "../../api/session";
import { TextField } from "../../forms/fields";
import { Form } from "../../forms/form";
import { LoginFrame } from "../../shell/login-frame";
import { Button } from "../../ui/basics";
import { readReturnPath } from "./return-path";

const route = getRouteApi("/login");

export function Login() {
  const { next } = route.useSearch();
  const { data: session } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const login = useMutation({
    mutationFn: () => call("post", "/api/v1/auth/login", { body: { name, password } }),
    onSuccess: async (found) => {
      startSession(queries, found);
      await navigate({ href: readReturnPath(next), replace: true });
    },
  });
  if (session?.needs_setup) return <Navigate to="/setup" />;

  return (
    <LoginFrame title="Log in" error={login.error}>
      <Form onSubmit={() => login.mutate()}>
        <TextField label="Name" value={name} onChange={setName} autoComplete="username" required autoFocus />
        <TextField
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          required
        />
        <Button kind="primary" type="submit" disabled={login.isPending}>
          {login.isPending ? "Please wait…" : "Log in"}
        </Button>
      </Form>
    </LoginFrame>
  );
}
