from tenax.crawler.crawler import Crawler as Crawler
from tenax.crawler.crawler import FinishedRun as FinishedRun
from tenax.crawler.items import StoredItem as StoredItem
from tenax.errors import ConfigError as ConfigError
from tenax.errors import CrawlError as CrawlError
from tenax.errors import TenaxError as TenaxError
from tenax.errors import UsageError as UsageError
from tenax.items.page import Follow as Follow
from tenax.items.page import Link as Link
from tenax.items.page import Page as Page
from tenax.items.page import parse_page as parse_page
from tenax.items.parser import Item as Item
from tenax.items.parser import Parser as Parser
from tenax.web.elements import Element as Element

__version__: str
API_VERSION: int
