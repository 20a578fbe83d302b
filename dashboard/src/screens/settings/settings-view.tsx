import { Panel } from "../../ui/basics";
import { Untrusted } from "../../ui/untrusted";

type Settings = Readonly<Record<string, unknown>>;

/** Settings by section. `others`: settings that only administrators can see. */
export function SettingsView({
  settings,
  others,
}: {
  settings: Settings;
  others?: Settings | null | undefined;
}) {
  const sections = [...new Set([...Object.keys(settings), ...Object.keys(others ?? {})])];
  return (
    <div className="grid items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
      {sections.map((section) => (
        <Panel key={section} title={section}>
          <dl className="px-4 pb-4">
            {Object.entries({ ...sectionOf(settings, section), ...sectionOf(others, section) }).map(
              ([name, value]) => (
                <div
                  key={name}
                  className="flex justify-between gap-4 border-t border-line/60 py-1 first:border-t-0"
                >
                  <dt className="text-quiet">{name}</dt>
                  <dd className="min-w-0 text-right font-mono text-[0.92em] break-words">
                    <Untrusted text={formatValue(value)} />
                  </dd>
                </div>
              ),
            )}
          </dl>
        </Panel>
      ))}
    </div>
  );
}

function sectionOf(settings: Settings | null | undefined, section: string): Settings {
  return (settings?.[section] ?? {}) as Settings;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(", ") : "–";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}
