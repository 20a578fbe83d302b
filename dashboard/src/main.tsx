import "./styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { newQueries } from "./api/queries";
import { watchSession } from "./api/session";
import { router } from "./router";
import { NoticeList } from "./ui/notices";

const queries = newQueries();
watchSession(queries);
const holder = document.getElementById("root");
if (holder) {
  createRoot(holder).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <NoticeList />
      </QueryClientProvider>
    </StrictMode>,
  );
}
