import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { invalidate } from "../api/queries";
import { notify } from "../ui/notices";

interface Action<Result, Input> {
  perform: (input: Input) => Promise<Result>;
  /** The text of the notice when it has worked; none, if something else shows that. */
  success?: (result: Result, input: Input) => string;
  onSuccess?: (result: Result) => unknown;
  /** Runs in either case: to close a dialog, for example. */
  onSettled?: () => void;
  /** The nouns of the API that it changes. */
  refreshes: readonly string[];
}

/** An action outside of a form. A notice shows its result, and what it changed is reloaded. */
export function useAction<Result, Input = void>({
  perform,
  success,
  onSuccess,
  onSettled,
  refreshes,
}: Action<Result, Input>): UseMutationResult<Result, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: perform,
    onSuccess: (result, input) => {
      if (success) notify("ok", success(result, input));
      return onSuccess?.(result);
    },
    onError: (error: Error) => notify("bad", error.message),
    onSettled: () => {
      onSettled?.();
      return invalidate(queries, refreshes);
    },
  });
}
