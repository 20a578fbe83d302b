import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./basics";

/** A modal dialog. The browser keeps the focus inside and restores it afterwards. */
export function Dialog({
  title,
  children,
  onClose,
}: {
  title: string;
  children: ReactNode;
  onClose: () => void;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className="panel m-auto w-[min(34rem,calc(100vw-2rem))] p-5 text-ink backdrop:bg-black/40"
    >
      <h2 id={id} className="mb-2 text-lg font-semibold tracking-tight">
        {title}
      </h2>
      {children}
    </dialog>
  );
}

export function Confirm({
  title,
  children,
  action,
  dismiss = "Cancel",
  isDangerous = false,
  isBusy = false,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  action: string;
  /** Another word than “Cancel”, where the action itself is to cancel something. */
  dismiss?: string;
  isDangerous?: boolean;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="text-quiet">{children}</div>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>{dismiss}</Button>
        <Button kind={isDangerous ? "danger" : "primary"} disabled={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
