import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Navigate, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call } from "../../api/client";
import { startSession, useSession } from "../../api/session";
import { readFieldErrors } from "../../forms/field-errors";
import { TextField } from "../../forms/fields";
import { Form } from "../../forms/form";
import { LoginFrame } from "../../shell/login-frame";
import { Button } from "../../ui/basics";

const MIN_CHARS = 12;

export function Setup() {
  const { data: session } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [token, setToken] = useState(readToken);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const setup = useMutation({
    mutationFn: () => call("post", "/api/v1/auth/setup", { body: { token, name, password } }),
    onSuccess: async (found) => {
      startSession(queries, found);
      await navigate({ to: "/", replace: true });
    },
  });
  useEffect(() => {
    // Pasting a link with another fragment into this tab does not reload the page.
    function take() {
      if (!location.hash) return;
      const found = readToken();
      if (found) setToken(found);
      // Remove the secret from the address and the history.
      history.replaceState(history.state, "", location.pathname);
    }
    take();
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  if (session && !session.needs_setup) return <Navigate to="/" />;

  const isShort = password.length > 0 && password.length < MIN_CHARS;
  const errors = readFieldErrors(setup.error, ["token", "name", "password"]);
  const differs = again.length > 0 && again !== password;

  return (
    <LoginFrame
      title="Set up Tenax"
      intro="Choose a name and a password for the first administrator. There is no default account."
      error={setup.error}
    >
      <Form onSubmit={() => !isShort && password === again && setup.mutate()}>
        <TextField
          label="Setup token"
          hint="`tenax serve` prints it when it starts."
          value={token}
          onChange={setToken}
          error={errors.get("token")}
          autoComplete="off"
          required
        />
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          error={errors.get("name")}
          autoComplete="username"
          maxLength={64}
          required
        />
        <TextField
          label="Password"
          type="password"
          hint={`At least ${MIN_CHARS} characters.`}
          value={password}
          onChange={setPassword}
          error={isShort ? `At least ${MIN_CHARS} characters.` : errors.get("password")}
          autoComplete="new-password"
          maxLength={256}
          required
        />
        <TextField
          label="Confirm password"
          type="password"
          value={again}
          onChange={setAgain}
          error={differs ? "The passwords do not match." : null}
          autoComplete="new-password"
          required
        />
        <Button kind="primary" type="submit" disabled={setup.isPending || isShort || differs}>
          {setup.isPending ? "Please wait…" : "Create administrator"}
        </Button>
      </Form>
    </LoginFrame>
  );
}

function readToken(): string {
  return new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
}
