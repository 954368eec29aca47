"""Several formats that may read the same file become one that tries them in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, LeftOut, Member, Picture, Status, Text, Warned
from extractors.format import Format, Unreadable

_ANOTHER = "another reader was tried"


def in_turn(candidates: Sequence[Format]) -> Format | None:
    """One format for all of them, from low order to high; None when there are none."""
    ordered = sorted(candidates, key=lambda fmt: fmt.order)
    # One process cannot go on in another kind of zygote.
    together = [fmt for fmt in ordered if fmt.zygote == ordered[0].zygote]
    if len(together) < 2:
        return together[0] if together else None
    return replace(together[0], extract=partial(_read_in_turn, together))


def _read_in_turn(
    candidates: Sequence[Format], job: Job, detection: Detection, budget: Budget
) -> Iterator[Block | Member | LeftOut]:
    """What the first candidate gives that gives anything; the failures before it are warned of."""
    failure: Unreadable | None = None
    for fmt in candidates:
        try:
            blocks = fmt.extract(job, detection, budget)
            held = _up_to_content(blocks)
        except Unreadable as exc:
            failure = failure or exc
            yield Warned(ExtractionWarning(problem=f"the {fmt.name} reader: {exc.note}", consequence=_ANOTHER))
            continue
        except Exception as exc:
            problem = f"the {fmt.name} reader failed ({type(exc).__name__})"
            failure = failure or Unreadable(Status.FAILED, problem)
            yield Warned(ExtractionWarning(problem=problem, consequence=_ANOTHER))
            continue
        if held:
            yield from held
            yield from blocks
            return
    if failure is not None:
        raise failure


def _up_to_content(blocks: Iterator[Block | Member | LeftOut]) -> list[Block | Member | LeftOut]:
    """The blocks up to the first that has something to see, or none where nothing has."""
    held: list[Block | Member | LeftOut] = []
    for block in blocks:
        held.append(block)
        if isinstance(block, Picture | Member | LeftOut) or (isinstance(block, Text) and block.markdown.strip()):
            return held
    return []
