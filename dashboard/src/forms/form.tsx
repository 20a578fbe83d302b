import type { ReactNode } from "react";
import { reveal } from "../format/text";
import { Button, Panel } from "../ui/basics";
import { Dialog } from "../ui/dialog";

export function Form({
  onSubmit,
  className = "flex flex-col gap-4",
  children,
}: {
  onSubmit: () => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** A short form in a dialog. */
export function FormDialog({
  title,
  action,
  canSubmit,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  action: string;
  canSubmit: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={onSubmit}>
        {children}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSubmit}>
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** A long form, and beside it a preview of what submitting it will do. */
export function FormWithPreview({
  preview,
  action,
  isReady,
  isSending,
  error,
  onSubmit,
  extra,
  children,
}: {
  preview: readonly string[];
  action: string;
  isReady: boolean;
  isSending: boolean;
  error: string | false | null | undefined;
  onSubmit: () => void;
  /** Above the button. */
  extra?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Form
      onSubmit={() => isReady && onSubmit()}
      className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
    >
      {children}
      <Panel title="Preview" className="lg:sticky lg:top-0">
        <ul aria-live="polite" className="flex flex-col gap-2 px-4 pb-4">
          {preview.map((sentence) => (
            <li key={sentence} className="border-t border-line/60 pt-2 first:border-t-0">
              {reveal(sentence)}
            </li>
          ))}
        </ul>
        <div className="flex flex-col gap-3 border-t border-line p-4">
          {extra}
          <Button kind="primary" type="submit" disabled={!isReady || isSending}>
            {isSending ? "Please wait…" : action}
          </Button>
          <p role="alert" className="text-bad">
            {error && reveal(error)}
          </p>
        </div>
      </Panel>
    </Form>
  );
}
