import { formatPath, Problem } from "../../api/client";

export interface Transfer {
  state: "loading" | "done" | "failed";
  bytes: number;
  reason?: string;
}

interface Picker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
  }) => Promise<{ createWritable: () => Promise<WritableStream<Uint8Array>> }>;
}

/** Streams into a file where the browser allows that, otherwise downloads through memory. */
export async function download(
  noun: string,
  kind: string,
  only: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<number> {
  const name = `tenax-${noun}.${kind}`;
  const file = await pickFile(name);
  const response = await fetch(formatPath(`/api/v1/export/${noun}`, {}, { format: kind, ...only }), {
    credentials: "same-origin",
    signal,
  });
  if (!response.ok || !response.body) {
    const body = (await response.json().catch(() => null)) as { detail?: string } | null;
    throw new Problem(response.status, body?.detail ?? `The server returned status ${response.status}.`);
  }
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        bytes += chunk.byteLength;
        onProgress(bytes);
        out.enqueue(chunk);
      },
    }),
  );
  if (file) await counted.pipeTo(file, { signal });
  else offer(await new Response(counted).blob(), name);
  return bytes;
}

async function pickFile(name: string): Promise<WritableStream<Uint8Array> | null> {
  const pick = (window as Picker).showSaveFilePicker;
  if (!pick || navigator.webdriver) return null;
  const handle = await pick({ suggestedName: name });
  return handle.createWritable();
}

function offer(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
