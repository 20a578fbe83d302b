import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { formatCompact, formatRate } from "../format/numbers";
import { describeRuns, isRunning, listRates, rateNow } from "../live/rate";
import { useLive } from "../live/store";
import { useTheme } from "../ui/theme";

const LEAST_MS = 20_000;

/** The crawl rate of the last two minutes, visible on every screen. */
export function CrawlRate() {
  const samples = useLive((state) => state.samples);
  const progress = useLive((state) => state.progress);
  const rate = rateNow(samples, progress);
  return (
    <div className="border-t border-line px-5 pt-3 pb-4">
      <p className="flex items-baseline justify-between">
        <span className="text-2xs text-faint">pages/s</span>
        <span className="text-lg font-semibold tracking-tight">
          {isRunning(progress) ? formatRate(rate ?? 0) : "–"}
        </span>
      </p>
      <Trace />
      <Link
        to="/"
        className="mt-1.5 block truncate text-2xs text-quiet hover:underline"
        data-testid="runs-count"
      >
        {progress ? describeRuns(progress) : "…"}
      </Link>
      <p className="flex justify-between text-2xs text-quiet">
        <span>{progress ? `${formatCompact(progress.queued)} queued` : "…"}</span>
        <span>{progress ? `${formatCompact(progress.pages)} pages` : ""}</span>
      </p>
    </div>
  );
}

function Trace() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const samples = useLive((state) => state.samples);
  const isDark = useTheme((state) => state.isDark);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors depend on the theme
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (!element || !pen) return;
    const scale = devicePixelRatio;
    const [width, height] = [element.clientWidth * scale, element.clientHeight * scale];
    if (element.width !== width || element.height !== height) {
      element.width = width;
      element.height = height;
    }
    pen.clearRect(0, 0, width, height);
    const rates = listRates(samples);
    const course = samples.flatMap(({ at }, index) => {
      const rate = rates[index];
      return typeof rate === "number" ? [{ at, rate }] : [];
    });
    const last = course.at(-1);
    if (!last || course.length < 2) return;
    const span_ms = Math.max(LEAST_MS, last.at - (course[0]?.at ?? last.at));
    const most = Math.max(...course.map((each) => each.rate), 1);
    pen.lineWidth = 1.5 * scale;
    pen.lineJoin = "round";
    pen.strokeStyle = getComputedStyle(element).color;
    pen.beginPath();
    course.forEach((each, index) => {
      const x = width - ((last.at - each.at) / span_ms) * width;
      const y = height - scale - (each.rate / most) * (height - 3 * scale);
      if (index === 0) pen.moveTo(x, y);
      else pen.lineTo(x, y);
    });
    pen.stroke();
  }, [samples, isDark]);

  return <canvas ref={canvas} aria-hidden="true" className="mt-1 h-8 w-full text-accent" />;
}
