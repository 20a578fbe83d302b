import { create } from "zustand";
import type { Connection } from "./connection";
import { remember, type Sample, sample } from "./rate";
import type { DomainMove, Progress } from "./types";

const MOST_MOVES = 50;

interface Live {
  connection: Connection;
  progress: Progress | null;
  samples: readonly Sample[];
  moves: readonly DomainMove[]; // newest first
  setConnection: (connection: Connection) => void;
  setProgress: (progress: Progress) => void;
  addMove: (move: DomainMove) => void;
}

export const useLive = create<Live>((set) => ({
  connection: "connecting",
  progress: null,
  samples: [],
  moves: [],
  setConnection: (connection) => set((live) => (live.connection === connection ? live : { connection })),
  setProgress: (progress) => set((live) => ({ progress, samples: remember(live.samples, sample(progress)) })),
  addMove: (move) => set((live) => ({ moves: [move, ...live.moves].slice(0, MOST_MOVES) })),
}));
