"""Settings for telling an outage of this machine's network from failures of sites."""

import re
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field

from tenax.config.section import Section

MAX_REFERENCES = 20  # of each kind

_match_endpoint = re.compile(r"(?:\[([0-9a-fA-F:.]{2,45})\]|([0-9.]{7,15}))(?::([0-9]{1,5}))?").fullmatch


def split_endpoint(text: str, port: int) -> tuple[str, int] | None:
    """Split `IP`, `IP:PORT` or `[IP]:PORT`; None: it is none of these. `port`: unless it names one."""
    found = _match_endpoint(text)
    bare = (found[1] or found[2]) if found else text
    try:
        ip = str(ip_address(bare))
    except ValueError:
        return None
    number = int(found[3]) if found and found[3] else port
    return (ip, number) if 0 < number < 65_536 else None


def _check_endpoint(text: str) -> str:
    if split_endpoint(text.strip(), 1) is None:
        raise ValueError(
            f'"{text[:60]}" is not an address. Write IP, IP:PORT or [IPV6]:PORT; names are not possible'
            " because references must not depend on name servers."
        )
    return text.strip()


EndpointText = Annotated[str, AfterValidator(_check_endpoint)]


class NetworkSettings(Section):
    enabled: bool = Field(
        True,
        description="Whether a failure without a single byte from the server is only counted against its "
        "site once the network is known to work. During an outage the crawl waits.",
    )
    name_servers: tuple[EndpointText, ...] = Field(
        (),
        max_length=MAX_REFERENCES,
        description="Name servers that are asked whether the network works, as IP or IP:PORT. Unset: those "
        "in use. They may have private addresses, whatever `fetch.allow_private` says.",
    )
    hosts: tuple[EndpointText, ...] = Field(
        (),
        max_length=MAX_REFERENCES,
        description="Hosts that are asked whether the network works, by opening a TCP connection, as IP or "
        "IP:PORT (port 443 by default). Unset: sites that responded in the last hour, at their pace, or "
        "else the default gateway. They may have private addresses, whatever `fetch.allow_private` says.",
    )
    check_s: float = Field(
        30.0, ge=0.1, description="Time between two checks while the crawl waits for the network, in seconds."
    )
    quiet_s: float = Field(
        10.0,
        gt=0,
        description="How long requests may be in progress without a response from any site before the "
        "references are asked, in seconds.",
    )
    sites: int = Field(
        3,
        ge=2,
        le=1000,
        description="How many unrelated sites must fail in a row before the references are asked at once. "
        "Also how many must redirect to the same unknown host to be taken for a captive portal.",
    )
    timeout_s: float = Field(3.0, gt=0, le=60, description="How long a reference has to answer, in seconds.")
