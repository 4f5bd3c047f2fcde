"""Who is asking, whether they may, and how often: a dependency of every route that is not open to all."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from storage.ports import ApiKey, KeyRing, Scope
from streams import metrics
from streams.gateway.limits import Kind, Limiter, rate_of
from streams.gateway.local import why_not_local
from streams.gateway.problems import Problem
from streams.gateway.tokens import key_id_of, opens
from streams.settings import Settings

KNOWN_SECONDS = 5.0
"""How long a gateway believes what it read of a key: a revoked key works for at most so long."""
KNOWN_KEYS = 1_000
REALM = 'Bearer realm="veristream"'


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. No key means this machine itself, or a gateway that needs none."""

    key: ApiKey | None = None

    @property
    def is_admin(self) -> bool:
        return self.key is None or self.key.allows(Scope.ADMIN)


class KnownKeys:
    """The keys that were asked for lately, so that not every request asks the store."""

    def __init__(self, ring: KeyRing, clock: Callable[[], float]) -> None:
        self._ring = ring
        self._clock = clock
        self._known: OrderedDict[str, tuple[ApiKey, float]] = OrderedDict()

    async def key(self, key_id: str) -> ApiKey | None:
        known = self._known.get(key_id)
        if known is not None and self._clock() < known[1]:
            return known[0]
        self._known.pop(key_id, None)
        key = await self._ring.key(key_id)
        if key is not None:
            self._known[key_id] = (key, self._clock() + KNOWN_SECONDS)
            if len(self._known) > KNOWN_KEYS:
                self._known.popitem(last=False)
        return key


class Guard:
    """Stands at the door of one gateway."""

    def __init__(self, settings: Settings, ring: KeyRing, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._known = KnownKeys(ring, clock)
        self._limiter = Limiter(clock)

    async def admit(self, request: Request, token: str | None, scope: Scope, kind: Kind) -> Caller:
        """The caller, or a Problem: 401 without a good key, 403 without the scope, 429 over the limit.

        A key that is sent counts, where none is needed too: whoever tries a key wants to know whether it works.
        """
        if token is None:
            self._check_keyless(request)
            return Caller()
        key = await self._key(token)
        if not key.allows(scope):
            detail = f"this key may not do that: it needs the scope {scope}, and has {', '.join(sorted(key.scopes))}"
            challenge = f'{REALM}, error="insufficient_scope", scope="{scope}"'
            raise Problem(403, "The key is not good for this", detail, {"WWW-Authenticate": challenge})
        self._limit(request, key, kind)
        return Caller(key)

    def _check_keyless(self, request: Request) -> None:
        needed = self._settings.gateway_keys
        if needed == "off":
            return
        detail = (
            "send an API key as `Authorization: Bearer KEY` or `X-API-Key: KEY`; `veristream keys create` makes one"
        )
        if self._settings.embedded and needed == "auto":
            reason = why_not_local(request, self._settings.cors_origins)
            if reason is None:
                return
            detail = f"this request needs a key, because {reason}; {detail}"
        raise Problem(401, "A key is needed", detail, {"WWW-Authenticate": REALM})

    async def _key(self, token: str) -> ApiKey:
        key_id = key_id_of(token)
        key = await self._known.key(key_id) if key_id is not None else None
        if key is None or not opens(token, key) or key.revoked_at is not None:
            # One sentence for all three: what is wrong with a key is nobody's business but its holder's.
            detail = "this API key is not known here, or it was revoked; `veristream keys list` shows those in force"
            headers = {"WWW-Authenticate": f'{REALM}, error="invalid_token"'}
            raise Problem(401, "The key is not valid", detail, headers)
        return key

    def _limit(self, request: Request, key: ApiKey, kind: Kind) -> None:
        rate = rate_of(key, kind, self._settings)
        if rate is None:
            return
        standing = self._limiter.take(key.key_id, kind, rate)
        if standing.refused:
            metrics.RATE_LIMITED.labels(kind).inc()
            allowed = f"{rate.per_minute} {kind} a minute, {rate.burst} at once"
            detail = f"this key may make {allowed}; try again in {standing.retry_seconds} s"
            raise Problem(429, "Too many requests", detail, standing.headers())
        request.state.headers = standing.headers()


_bearer = HTTPBearer(auto_error=False, description="An API key made by `veristream keys create`.")
_header = APIKeyHeader(
    name="X-API-Key", auto_error=False, description="The same key, for clients without bearer tokens."
)


def _token(
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    header: Annotated[str | None, Security(_header)],
) -> str | None:
    return bearer.credentials if bearer is not None else header


def needs(scope: Scope, kind: Kind) -> Callable[..., Awaitable[Caller]]:
    """The dependency of a route: its caller, let in."""

    async def let_in(request: Request, token: Annotated[str | None, Depends(_token)]) -> Caller:
        guard: Guard = request.app.state.desk.guard
        return await guard.admit(request, token, scope, kind)

    return let_in


Submitter = Annotated[Caller, Depends(needs(Scope.SUBMIT, "submissions"))]
Reader = Annotated[Caller, Depends(needs(Scope.READ, "reads"))]
