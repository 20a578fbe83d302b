// The same web for spider-rs: links and title of every page, robots obeyed, nothing stored.
//
// Called with a file of seeds and, for links only, --no-title; prints its counts as JSON.
// A Website of spider-rs is one host, fetched with as many concurrent requests as it chooses: there is no
// setting. Crawling one host after another is its cheapest way; with sixteen at a time it hung.
const { readFileSync } = require('node:fs')
const { Website, pageTitle } = require('@spider-rs/spider-rs')

const seeds = readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean)
const wantsTitle = process.argv[3] !== '--no-title'
const urls = new Set()
let titles = 0
let links = 0

function take(error, page) {
  if (error || page.statusCode !== 200) return
  urls.add(page.url)
  links += page.links.length
  if (wantsTitle && pageTitle(page)) titles += 1
}

async function main() {
  for (const seed of seeds) {
    const website = new Website(seed).withRespectRobotsTxt(true).withReturnPageLinks(true).build()
    await website.crawl(take)
  }
  await settle()
  console.log(JSON.stringify({ pages: urls.size, titles, links }))
  // Its idle connections would keep the process alive for most of a minute.
  process.exit(0)
}

// Callbacks may still be on their way when the crawl has ended.
async function settle() {
  for (let before = -1; before < urls.size; ) {
    before = urls.size
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

main()
