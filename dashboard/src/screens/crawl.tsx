import { Heading } from "../ui/basics";

export function Crawl() {
  return <Heading title="Start a crawl" />;
}
