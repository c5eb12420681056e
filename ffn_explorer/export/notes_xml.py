"""Notes as XML: the metadata of an SVG, and the XMP packet of a PDF."""

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

from ffn_explorer.state.sessions_in import NAMESPACE

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write: most control characters, and lone surrogates."""

PACKET = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:ffn="{namespace}">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">FFN Explorer</rdf:li></rdf:Alt></dc:title>
<xmp:CreatorTool>{software}</xmp:CreatorTool>
{notes}
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
"""


def packet(notes: Mapping[str, str]) -> bytes:
    """XMP packet with these notes."""
    software = _written(notes.get("Software", ""))
    return PACKET.format(namespace=NAMESPACE, software=software, notes=elements(notes)).encode("utf-8")


def elements(notes: Mapping[str, str]) -> str:
    """One element of our namespace (prefix `ffn`) for each note."""
    return "\n".join(f"<ffn:{name}>{_written(value)}</ffn:{name}>" for name, value in notes.items())


def writable(text: str) -> str:
    r"""A text with what XML cannot hold written as \u escapes, as JSON reads them."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _written(text: str) -> str:
    return escape(writable(text))
