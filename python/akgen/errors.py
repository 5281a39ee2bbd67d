"""What can go wrong, as exceptions. None of them is ever a number: a reward that cannot be given is not given."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Type

if TYPE_CHECKING:
    from .result import Result


class AkgenError(Exception):
    """Base of all. `code` has a page in docs/diagnostics; `retryable`: asking again may help."""

    def __init__(self, message: str, *, code: str = "", where: str = "", fix: str = "", status: int = 0, retryable: bool = False) -> None:
        super().__init__(message)
        self.message, self.code, self.where, self.fix = message, code, where, fix
        self.status, self.retryable = status, retryable

    def __reduce__(self) -> Tuple[Any, ...]:  # as multiprocessing and Ray send it
        return _restored, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        where = f" ({self.where})" if self.where else ""
        fix = f"; fix: {self.fix}" if self.fix else ""
        return (f"{self.code}: " if self.code else "") + self.message + where + fix


def _restored(kind: Type[AkgenError], args: Tuple[Any, ...], members: Dict[str, Any]) -> AkgenError:
    e = kind.__new__(kind, *args)
    e.__dict__.update(members)
    return e


class ConnectionFailed(AkgenError):
    """The server cannot be reached, or the connection broke."""


class AccessDenied(AkgenError):
    """The token is missing or wrong, or this client may not ask."""


class InvalidRequest(AkgenError):
    """The request makes no sense, and never will."""


class NotFound(InvalidRequest):
    """No such task or job."""


class KeyConflict(AkgenError):
    """The idempotency key belongs to other work."""


class Overloaded(AkgenError):
    """The queue is full, and was until the patience of this client ended."""


class DeadlineExpired(AkgenError):
    """The deadline of the request went by. The kernel's own timeout is a verdict instead."""


class Cancelled(AkgenError):
    """The job was taken back."""


class ServerFault(AkgenError):
    """An internal error, or a server that is stopping."""


class NotRewarded(AkgenError):
    """There is a result, but it must not become a number. Leave the sample out. `result` has the record."""

    def __init__(self, message: str, result: "Result") -> None:
        super().__init__(message, retryable=result.retryable)
        self.result = result


class Unsupported(NotRewarded):
    """The kernel uses what akgen does not have yet."""


class Undecided(NotRewarded):
    """The judgement was inconclusive."""


class InfraError(NotRewarded):
    """An internal error while judging."""


class Unsealed(NotRewarded):
    """Code of the candidate could have written this verdict (native execution)."""


_BY_STATUS = {400: InvalidRequest, 401: AccessDenied, 403: AccessDenied, 404: NotFound, 405: InvalidRequest, 409: KeyConflict,
              413: InvalidRequest, 421: AccessDenied, 422: InvalidRequest, 429: Overloaded, 431: InvalidRequest,
              499: Cancelled, 504: DeadlineExpired}


def from_reply(status: int, body: Any) -> AkgenError:
    """The exception for a reply that has no result."""
    error: Optional[Dict[str, Any]] = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return ServerFault(f"the server replied {status} without an explanation", status=status)
    kind = _BY_STATUS.get(status, ServerFault)
    return kind(str(error.get("message", "")), code=str(error.get("code", "")), where=str(error.get("where", "")),
                fix=str(error.get("fix", "")), status=status, retryable=bool(error.get("retryable", False)))
