"""How an OpenAI-compatible endpoint says no."""

from __future__ import annotations

from aiohttp import web


class Problem(Exception):
    """A request that is refused, in OpenAI's shape of an error."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        kind: str = "invalid_request_error",
        param: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.kind = kind
        self.param = param
        self.headers = headers or {}


def refused(problem: Problem) -> web.Response:
    """The answer for a problem."""
    error = {"message": problem.message, "type": problem.kind, "param": problem.param, "code": problem.code}
    return web.json_response({"error": error}, status=problem.status, headers=problem.headers)
