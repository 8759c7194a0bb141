"""The types of the API's requests and responses; the OpenAPI document is generated from them."""

from datetime import datetime

import msgspec

from compiler_core import report


class NewRun(msgspec.Struct, frozen=True):
    """A request for a run."""

    source: str
    options: report.Options = report.Options()
    # True measures anew even where an identical run has been done.
    fresh: bool = False
    # Any name of at most 40 letters, digits and hyphens for the editor that this comes from: of the
    # runs of one editor that wait only the newest stays.
    editor: str = ""


class Created(msgspec.Struct, frozen=True):
    """The response to a request for a run; `existing`: an identical run was found."""

    id: str
    url: str
    # Whether an identical run was there already, whose id this is.
    existing: bool
    # Stands for whoever asked, for scripts: send it as "Authorization: Bearer ..." to delete.
    token: str


class RunView(msgspec.Struct, frozen=True):
    """A run at the moment of the request. `report` is the report so far, `seq` the number of the
    last event."""

    id: str
    url: str
    state: str
    seq: int
    created: datetime
    started: datetime | None
    finished: datetime | None
    # How long it has taken, from `created` to its end, or until now.
    seconds: float
    # While it waits: the runs that are begun before it, about how many seconds that takes, and why
    # no worker takes any now, blank where one does.
    ahead: int | None
    wait_s: int | None
    waits_for: str
    expires: datetime | None
    shared: bool
    # Whether the request came from whoever made the run.
    mine: bool
    source: str
    options: report.Options
    report: msgspec.Raw


class ArtifactEntry(msgspec.Struct, frozen=True):
    """One text of a report, with its path and URL."""

    path: str
    url: str
    program: str
    stage: str
    name: str
    kind: str
    language: str
    # The graph and the plan that the stage is of.
    graph: str
    backend: str
    bytes: int


class Artifacts(msgspec.Struct, frozen=True):
    """The list of a run's texts."""

    artifacts: list[ArtifactEntry]


class StateView(msgspec.Struct, frozen=True):
    """A run's state after a request that may have changed it."""

    id: str
    state: str


class Shared(msgspec.Struct, frozen=True):
    """The response to a request to share a run."""

    id: str
    url: str
    shared: bool


class OwnRun(msgspec.Struct, frozen=True):
    """A run in the list of whoever asked for it."""

    id: str
    url: str
    # What they call it; the source's title until they do.
    name: str
    state: str
    created: datetime
    shared: bool
    verdict: str


class OwnRuns(msgspec.Struct, frozen=True):
    """The runs that somebody asked for, the newest first."""

    runs: list[OwnRun]


class Naming(msgspec.Struct, frozen=True):
    """What a run is called by whoever asked for it; blank for its source's title."""

    name: str
