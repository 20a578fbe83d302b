import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { invalidate } from "../api/queries";
import { notify } from "../ui/notices";

interface Action<Result, Input> {
  perform: (input: Input) => Promise<Result>;
  /** The notice that it worked; none, if something else shows that. */
  success?: (result: Result, input: Input) => string;
  onSuccess?: (result: Result) => unknown;
  /** Whether it worked or not: close a dialog, for example. */
  onSettled?: () => void;
  /** What it changes, by the nouns of the API. */
  refreshes: readonly string[];
}

/** Something a user does outside of a form: a notice says what came of it, and what it changed is loaded again. */
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
