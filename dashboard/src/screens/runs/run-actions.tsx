import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useAction } from "../../forms/use-action";
import { Button } from "../../ui/basics";
import { Confirm } from "../../ui/dialog";
import { notify } from "../../ui/notices";
import { describeTaken } from "../crawls/crawl-plan";

type ActionName = "pause" | "resume" | "cancel";
const PATHS = {
  pause: "/api/v1/runs/{run_id}/pause",
  resume: "/api/v1/runs/{run_id}/resume",
  cancel: "/api/v1/runs/{run_id}/cancel",
} as const;
const DONE: Record<ActionName, string> = {
  pause: "is paused. Requests in progress finish; no new ones are made.",
  resume: "was resumed.",
  cancel: "was cancelled. Queued URLs stay for the next run of its crawl.",
};

/** The actions on an active run. */
export function RunActions({ id, state, isSmall = false }: { id: number; state: string; isSmall?: boolean }) {
  const [isCancelling, setCancelling] = useState(false);
  const action = useAction({
    perform: (name: ActionName) => call("post", PATHS[name], { path: { run_id: id } }),
    success: (_, name) => `Run ${id} ${DONE[name]}`,
    onSuccess: (done) => {
      const taken = "taken" in done ? (done.taken as Schemas["TakenDomain"][]) : [];
      for (const sentence of describeTaken(taken)) notify("ok", sentence);
    },
    onSettled: () => setCancelling(false),
    refreshes: ["runs"],
  });
  if (state !== "running" && state !== "paused") return null;
  const [name, title] = state === "running" ? (["pause", "Pause"] as const) : (["resume", "Resume"] as const);
  // With several runs on one screen, each button names its run.
  const of = (verb: string) =>
    isSmall
      ? ({
          kind: verb === "Cancel" ? "danger" : "plain",
          isSmall,
          "aria-label": `${verb}: run ${id}`,
        } as const)
      : ({ kind: verb === "Cancel" ? "danger" : verb === "Resume" ? "primary" : "plain" } as const);
  return (
    <>
      <Button {...of(title)} disabled={action.isPending} onClick={() => action.mutate(name)}>
        {title}
      </Button>
      <Button {...of("Cancel")} disabled={action.isPending} onClick={() => setCancelling(true)}>
        Cancel
      </Button>
      {isCancelling && (
        <Confirm
          title={`Cancel run ${id}?`}
          action="Cancel run"
          dismiss="Keep running"
          isDangerous
          isBusy={action.isPending}
          onConfirm={() => action.mutate("cancel")}
          onClose={() => setCancelling(false)}
        >
          Requests in progress finish and are stored. Queued URLs stay in the frontier for the next run of its
          crawl.
        </Confirm>
      )}
    </>
  );
}
