import { useApi } from "../../api/queries";
import { AdminOnly } from "../../shell/admin-only";
import { Heading, LoadError, Skeleton } from "../../ui/basics";
import { Untrusted } from "../../ui/untrusted";
import { SettingsView } from "./settings-view";

export function Settings() {
  return (
    <AdminOnly note="Every run shows the settings it was started with.">
      <ServerSettings />
    </AdminOnly>
  );
}

function ServerSettings() {
  const { data, error, refetch } = useApi("/api/v1/admin/settings");
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading title="Settings" />
      <p className="text-quiet">
        The settings of this server, from its file, the environment and the command line. A run keeps the
        settings it was started with. Store:{" "}
        {data ? <Untrusted text={data.store} className="text-ink" /> : "…"}
      </p>
      {data ? <SettingsView settings={data.settings} /> : <Skeleton className="h-96" />}
    </>
  );
}
