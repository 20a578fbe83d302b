import { useState } from "react";
import { call } from "../../api/client";
import { useAction } from "../../forms/use-action";
import { Button } from "../../ui/basics";
import { Confirm, Dialog } from "../../ui/dialog";
import { ACTIONS, type Action, JOB_NOUNS, type JobState, listActions } from "./job-states";

const PATHS = {
  "force-run": "/api/v1/jobs/{job_id}/force-run",
  pause: "/api/v1/jobs/{job_id}/pause",
  resume: "/api/v1/jobs/{job_id}/resume",
  retry: "/api/v1/jobs/{job_id}/retry",
  cancel: "/api/v1/jobs/{job_id}/cancel",
} as const;
const TITLES: Record<Action, string> = {
  "force-run": "Run now",
  pause: "Pause",
  resume: "Resume",
  retry: "Retry",
  cancel: "Cancel",
};
const DONE: Record<Action, string> = {
  "force-run": "starts within seconds. Its schedule does not change.",
  pause: "is paused. It does not run until it is resumed.",
  resume: "was resumed, in the least busy slot.",
  retry: "starts within seconds, with all its retries.",
  cancel: "was cancelled.",
};

/** The actions that the state of a job allows. */
export function JobActions({
  id,
  state,
  isSmall = false,
  only = ACTIONS,
}: {
  id: number;
  state: JobState;
  isSmall?: boolean;
  only?: readonly Action[];
}) {
  const [isCancelling, setCancelling] = useState(false);
  const perform = useAction({
    perform: (action: Action) => call("post", PATHS[action], { path: { job_id: id } }),
    success: (_, action) => `Job ${id} ${DONE[action]}`,
    onSettled: () => setCancelling(false),
    refreshes: JOB_NOUNS,
  });
  const actions = listActions(state).filter((each) => only.includes(each));
  return (
    <>
      {actions.map((action, index) => (
        <Button
          key={action}
          kind={action === "cancel" ? "danger" : index === 0 && !isSmall ? "primary" : "plain"}
          isSmall={isSmall}
          disabled={perform.isPending}
          aria-label={isSmall ? `${TITLES[action]}: job ${id}` : undefined}
          onClick={() => (action === "cancel" ? setCancelling(true) : perform.mutate(action))}
        >
          {TITLES[action]}
        </Button>
      ))}
      {isCancelling && (
        <Confirm
          title={`Cancel job ${id}?`}
          action="Cancel job"
          dismiss="Keep the job"
          isDangerous
          isBusy={perform.isPending}
          onConfirm={() => perform.mutate("cancel")}
          onClose={() => setCancelling(false)}
        >
          A cancelled job cannot be resumed. If it is running, the run ends within seconds; stored pages are
          kept. If its source is enabled again, the source creates a new job.
        </Confirm>
      )}
    </>
  );
}

/** The same on narrow screens: one button that opens a dialog with the actions. */
export function JobMenu({ id, state }: { id: number; state: JobState }) {
  const [isOpen, setOpen] = useState(false);
  if (listActions(state).length === 0) return null;
  return (
    <>
      <Button isSmall aria-label={`Actions: job ${id}`} onClick={() => setOpen(true)}>
        …
      </Button>
      {isOpen && (
        <Dialog title={`Job ${id}`} onClose={() => setOpen(false)}>
          <div className="flex flex-wrap gap-2">
            <JobActions id={id} state={state} />
          </div>
          <div className="mt-5 flex justify-end">
            <Button onClick={() => setOpen(false)}>Close</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
