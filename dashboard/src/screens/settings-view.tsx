import { Panel } from "../ui/basics";
import { Foreign } from "../ui/crawled";

type Settings = Readonly<Record<string, unknown>>;

/** Sections of settings as they are in force. */
export function SettingsView({ settings }: { settings: Settings }) {
  return (
    <div className="grid items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
      {Object.entries(settings).map(([section, values]) => (
        <Panel key={section} title={section}>
          <dl className="px-4 pb-4">
            {Object.entries((values ?? {}) as Settings).map(([name, value]) => (
              <div
                key={name}
                className="flex justify-between gap-4 border-t border-line/60 py-1 first:border-t-0"
              >
                <dt className="text-quiet">{name}</dt>
                <dd className="min-w-0 text-right font-mono text-[0.92em] break-words">
                  <Foreign text={formatValue(value)} />
                </dd>
              </div>
            ))}
          </dl>
        </Panel>
      ))}
    </div>
  );
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(", ") : "–";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}
