"""A body as it arrives: unpacked if it was packed, counted before it is kept."""

import zlib

from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.policy import SizeLimits

# Both containers that zlib knows, told apart by their first bytes.
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
# What one step may unpack at most, so that a bomb is noticed long before it has gone off.
_STEP = 65_536
ENCODINGS = frozenset(("", "identity", "gzip", "x-gzip", "deflate"))


class BoundedBody:
    """Collects a body. `feed` raises FetchFailed as soon as a limit is passed."""

    def __init__(self, encoding: str, url: str, sizes: SizeLimits) -> None:
        if encoding not in ENCODINGS:
            raise FetchFailed("encoding", url, f"packed as {encoding!r}, which we neither asked for nor unpack")
        self._unpacker = zlib.decompressobj(_GZIP_OR_ZLIB) if encoding not in {"", "identity"} else None
        self._url = url
        self._sizes = sizes
        self._body = bytearray()
        self.received = 0

    def feed(self, piece: bytes) -> None:
        """Take in what just arrived."""
        self.received += len(piece)
        if self.received > self._sizes.body:
            raise FetchFailed("too_large", self._url, f"larger than {self._sizes.body} bytes")
        if self._unpacker is None:
            self._keep(piece, self.received)
        else:
            self._unpack(piece, self._unpacker)

    @property
    def size(self) -> int:
        """How much of the unpacked body is there."""
        return len(self._body)

    def so_far(self) -> bytes:
        """What is there of the unpacked body."""
        return bytes(self._body)

    def finish(self) -> bytes:
        """The whole body; a packed one must have come to its end."""
        if self._unpacker is not None and self.received and not self._unpacker.eof:
            raise FetchFailed("encoding", self._url, "the packed body breaks off")
        return bytes(self._body)

    def _unpack(self, piece: bytes, state: "zlib._Decompress") -> None:
        while piece:
            try:
                unpacked = state.decompress(piece, _STEP)
            except zlib.error as error:
                raise FetchFailed("encoding", self._url, f"the body cannot be unpacked ({error})") from error
            self._keep(unpacked, self.received - len(state.unconsumed_tail))
            if state.unused_data:
                raise FetchFailed("encoding", self._url, "something follows the end of the packed body")
            piece = state.unconsumed_tail

    def _keep(self, piece: bytes, taken: int) -> None:
        """Add what the first `taken` bytes of the wire have become."""
        size = len(self._body) + len(piece)
        if size > self._sizes.ratio_from and size > self._sizes.ratio * taken:
            raise FetchFailed("bomb", self._url, f"unpacks to more than {self._sizes.ratio:g} times its size")
        if size > self._sizes.unpacked:
            raise FetchFailed("too_large", self._url, f"larger than {self._sizes.unpacked} bytes when unpacked")
        self._body += piece
