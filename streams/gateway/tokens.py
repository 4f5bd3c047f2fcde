"""API keys as their holders know them: made once, shown once, recognised by their digest."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from datetime import datetime

from storage.ports import ApiKey, KeyLimits, Scope

ID_BYTES = 8
SECRET_BYTES = 32
TOKEN = re.compile(r"vsk_(?P<key_id>[0-9a-f]{16})_(?P<secret>[A-Za-z0-9_-]{43})")
"""`vsk_`, the public id that the key is looked up by, and 256 random bits. The prefix lets secret scanners find it."""


def make(name: str, scopes: Iterable[Scope], limits: KeyLimits, now: datetime) -> tuple[ApiKey, str]:
    """A new key to keep, and the token to show; the token is nowhere else."""
    key_id, secret = secrets.token_hex(ID_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    key = ApiKey(key_id, name, digest_of(secret), frozenset(scopes), now, limits=limits)
    return key, f"vsk_{key_id}_{secret}"


def digest_of(secret: str) -> str:
    """SHA-256, on purpose not a slow password hash.

    Slow hashes make guessing a human's password expensive. 256 random bits cannot be guessed at any speed, and a
    slow hash would only let strangers spend our processor with wrong keys.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def key_id_of(token: str) -> str | None:
    """The id in front of the secret; None for what cannot be a key, so that no store is asked about it."""
    found = TOKEN.fullmatch(token)
    return found["key_id"] if found else None


def opens(token: str, key: ApiKey) -> bool:
    """Whether the token is this key's, compared in constant time: how long it takes tells nothing of the digest."""
    found = TOKEN.fullmatch(token)
    return found is not None and hmac.compare_digest(digest_of(found["secret"]), key.digest)
