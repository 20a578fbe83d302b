import { create } from "zustand";
import { reveal } from "../format/text";
import { Dot, type Tone } from "./basics";

interface Notice {
  id: number;
  tone: Tone;
  text: string;
}

interface Notices {
  notices: readonly Notice[];
  dismiss: (id: number) => void;
}

const LASTS_MS = 6000;
let lastId = 0;

const useNotices = create<Notices>((set) => ({
  notices: [],
  dismiss: (id) => set((state) => ({ notices: state.notices.filter((each) => each.id !== id) })),
}));

/** Shows the result of an action for a few seconds. */
export function notify(tone: Tone, text: string): void {
  lastId += 1;
  const notice = { id: lastId, tone, text };
  useNotices.setState((state) => ({ notices: [...state.notices.slice(-3), notice] }));
  setTimeout(() => useNotices.getState().dismiss(notice.id), LASTS_MS);
}

export function NoticeList() {
  const { notices, dismiss } = useNotices();
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-50 flex flex-col items-end gap-2 lg:bottom-4"
    >
      {notices.map((notice) => (
        <button
          type="button"
          key={notice.id}
          onClick={() => dismiss(notice.id)}
          className="panel pointer-events-auto flex max-w-md items-center gap-2.5 px-4 py-2.5 text-left shadow-lg shadow-black/10"
        >
          <Dot tone={notice.tone} />
          <bdi>{reveal(notice.text)}</bdi>
        </button>
      ))}
    </div>
  );
}
