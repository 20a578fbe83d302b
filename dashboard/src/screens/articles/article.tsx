import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { reveal, revealProse } from "../../format/text";
import { MOST_CHARS } from "../../markdown/blocks";
import { Markdown } from "../../markdown/markdown";
import { Button, Empty, type Fact, Facts, Heading, Skeleton } from "../../ui/basics";
import { LoadFailed } from "../../ui/load-failed";
import { ParentLink } from "../../ui/parent-link";
import { State } from "../../ui/states";
import { Time } from "../../ui/time";
import { DomainLink, OutLink, Untrusted } from "../../ui/untrusted";
import {
  type ArticleData,
  directionOf,
  formatDate,
  nameLanguage,
  readArticle,
  splitParagraphs,
} from "./article-data";

const route = getRouteApi("/app/articles/$id");
const NAME_CHARS = 200;

/** An article to read. It comes from a website: nothing of it is ever HTML, and nothing is loaded for it. */
export function ArticleScreen() {
  const { id } = route.useParams();
  const { data, error, refetch } = useApi("/api/v1/items/{id}", { path: { id: Number(id) } });
  if (error && !data) {
    const above = <ParentLink to="/articles">Articles</ParentLink>;
    return <LoadFailed title="Article" above={above} error={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Waiting />;
  const article = readArticle(data.data);
  const title = article.title ?? data.key;
  const direction = directionOf(article.language);
  return (
    <div className="reading mx-auto flex w-full flex-col gap-4">
      <Heading
        name={reveal(title).slice(0, NAME_CHARS)}
        title={
          <span dir={direction} lang={article.language ?? undefined}>
            <Untrusted text={title} />
          </span>
        }
        above={
          <span className="print:hidden">
            <ParentLink to="/articles">Articles</ParentLink>
          </span>
        }
      >
        {data.gone_at !== null && <State state={data.state} />}
        <Button isSmall onClick={() => window.print()} className="print:hidden">
          Print
        </Button>
      </Heading>
      <Origin item={data} article={article} />
      <article lang={article.language ?? undefined} dir={direction}>
        <Body article={article} />
      </article>
      <About item={data} article={article} />
    </div>
  );
}

function Waiting() {
  return (
    <div className="reading mx-auto flex w-full flex-col gap-4">
      <Heading name="Article" title={<Skeleton className="h-8 w-72" />} />
      <Skeleton className="h-96" />
    </div>
  );
}

function Origin({ item, article }: { item: Schemas["ItemDetail"]; article: ArticleData }) {
  const { byline, publishedAt, modifiedAt } = article;
  const facts = [
    <Untrusted key="site" text={article.site ?? item.domain} className="font-medium text-ink" />,
    byline && <Untrusted key="byline" text={byline} />,
    publishedAt && <Untrusted key="published" text={formatDate(publishedAt)} />,
    modifiedAt && modifiedAt !== publishedAt && (
      <span key="modified">
        changed <Untrusted text={formatDate(modifiedAt)} />
      </span>
    ),
  ].filter(Boolean);
  return (
    <div className="-mt-2 border-b border-line pb-3 text-[0.85em] text-quiet">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5">{facts}</p>
      <OutLink url={item.url} />
    </div>
  );
}

function Body({ article }: { article: ArticleData }) {
  if (article.markdown !== null) return <Markdown text={article.markdown} below={1} />;
  if (article.text === null) return <Empty title="No text">The parser found no text of this article.</Empty>;
  return (
    <div className="prose">
      {splitParagraphs(article.text.slice(0, MOST_CHARS)).map((text, place) => (
        <p key={place} dir="auto" className="whitespace-pre-line">
          {revealProse(text)}
        </p>
      ))}
      {article.text.length > MOST_CHARS && (
        <p>
          <em>The rest is too long to be shown here.</em>
        </p>
      )}
    </div>
  );
}

function About({ item, article }: { item: Schemas["ItemDetail"]; article: ArticleData }) {
  return (
    <section aria-label="About this article" className="border-t border-line pt-3 text-[0.85em]">
      <Facts
        className="px-0! pb-2!"
        facts={[
          text("Description", article.description),
          text("Section", article.section),
          text("Tags", article.tags.join(", ") || null),
          article.language !== null && { label: "Language", value: nameLanguage(article.language) },
          article.leadImage !== null && { label: "Lead image", value: <OutLink url={article.leadImage} /> },
          { label: "Domain", value: <DomainLink name={item.domain} /> },
          { label: "Found", value: <Time at={item.first_seen_at} /> },
          { label: "Changed", value: <Time at={item.changed_at} /> },
          item.gone_at !== null && { label: "Gone", value: <Time at={item.gone_at} /> },
        ]}
      />
      <Link
        to="/items/$id"
        params={{ id: String(item.id) }}
        className="text-accent underline underline-offset-2 print:hidden"
      >
        All that was found
      </Link>
    </section>
  );
}

function text(label: string, value: string | null): Fact | false {
  return value !== null && { label, value: <Untrusted text={value} /> };
}
