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
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
{language}<xmp:CreatorTool>{software}</xmp:CreatorTool>
{notes}
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
"""


def packet(notes: Mapping[str, str], *, title: str = "FFN Explorer", language: str = "") -> bytes:
    """XMP packet with these notes; language: of the document's words, "" where that is not said."""
    bag = f"<dc:language><rdf:Bag><rdf:li>{language}</rdf:li></rdf:Bag></dc:language>\n"
    return PACKET.format(
        namespace=NAMESPACE,
        software=_written(notes.get("Software", "")),
        title=_written(title),
        language=bag if language else "",
        notes=elements(notes),
    ).encode("utf-8")


def elements(notes: Mapping[str, str]) -> str:
    """One element of our namespace (prefix `ffn`) for each note."""
    return "\n".join(f"<ffn:{name}>{_written(value)}</ffn:{name}>" for name, value in notes.items())


def writable(text: str) -> str:
    r"""A text with what XML cannot hold written as \u escapes, as JSON reads them."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _written(text: str) -> str:
    return escape(writable(text))
