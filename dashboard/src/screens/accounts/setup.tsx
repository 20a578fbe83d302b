import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Navigate, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { call, Problem } from "../../api/client";
import { startSession, useSession } from "../../api/session";
import { LoginFrame } from "../../shell/login-frame";
import { Button } from "../../ui/basics";
import { TextField } from "../../ui/forms";

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
    // A link that is pasted into a tab which shows this page loads nothing anew.
    function take() {
      if (!location.hash) return;
      const found = readToken();
      if (found) setToken(found);
      // The secret does not stay in the address, nor in the history.
      history.replaceState(history.state, "", location.pathname);
    }
    take();
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  if (session && !session.needs_setup) return <Navigate to="/" />;

  const isShort = password.length > 0 && password.length < MIN_CHARS;
  const differs = again.length > 0 && again !== password;
  const faults = setup.error instanceof Problem ? setup.error.faults : [];
  const faultOf = (field: string) => faults.find((each) => each.where === `body.${field}`)?.message;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isShort && password === again) setup.mutate();
  }

  return (
    <LoginFrame
      title="Set up Tenax"
      intro="Choose the name and password of the first administrator. There is no default one."
      error={setup.error}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Set-up token"
          hint="`tenax serve` shows it when it starts."
          value={token}
          onChange={(event) => setToken(event.target.value)}
          error={faultOf("token")}
          autoComplete="off"
          required
        />
        <TextField
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={faultOf("name")}
          autoComplete="username"
          maxLength={64}
          required
        />
        <TextField
          label="Password"
          type="password"
          hint={`At least ${MIN_CHARS} characters.`}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={isShort ? `At least ${MIN_CHARS} characters.` : faultOf("password")}
          autoComplete="new-password"
          maxLength={256}
          required
        />
        <TextField
          label="Password again"
          type="password"
          value={again}
          onChange={(event) => setAgain(event.target.value)}
          error={differs ? "The two passwords differ." : null}
          autoComplete="new-password"
          required
        />
        <Button kind="primary" type="submit" disabled={setup.isPending || isShort || differs}>
          {setup.isPending ? "One moment…" : "Create the administrator"}
        </Button>
      </form>
    </LoginFrame>
  );
}

function readToken(): string {
  return new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
}
