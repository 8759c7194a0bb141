"""The schemas of the OpenAPI document, generated from the msgspec types that decode and encode."""

from typing import Any

import msgspec
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from compiler_core import report
from webapp.errors import ErrorBody

_REF = "#/components/schemas/{name}"
# Every type that an operation has named with `takes` or `gives`.
_named: dict[str, type] = {}


class DocumentedAPI(NinjaAPI):
    """A NinjaAPI whose OpenAPI document also contains the schemas that its operations name."""

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**options)
        components = document.setdefault("components", {}).setdefault("schemas", {})
        components.update(_components())
        return document


def _components() -> dict[str, Any]:
    kinds = (*_named.values(), report.Report)
    _, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    # msgspec.Raw, there so that a stored report is not parsed to be sent, says nothing of itself.
    components["RunView"]["properties"]["report"] = _ref(report.Report)
    return components


def takes(kind: type) -> dict[str, Any]:
    """The request body of an operation that takes JSON of type `kind`, as OpenAPI describes it."""
    return {"required": True, "content": {"application/json": {"schema": _ref(kind)}}}


def one_of(name: str, values: tuple[str, ...], says: str) -> dict[str, Any]:
    """A query parameter with one of `values`, the first by default, as OpenAPI describes it."""
    schema = {"type": "string", "enum": list(values), "default": values[0]}
    return {"name": name, "in": "query", "description": says, "schema": schema}


def gives(status: int, kind: type | None, says: str, *refusals: int) -> dict[int, Any]:
    """The `responses` of an operation: the successful one, of type `kind`, and the statuses of its
    errors."""
    well: dict[str, Any] = {"description": says}
    if kind is not None:
        well["content"] = {"application/json": {"schema": _ref(kind)}}
    content = {"application/json": {"schema": _ref(ErrorBody)}}
    refused = {code: {"description": "Refused", "content": content} for code in refusals}
    return {status: well, **refused}


def _ref(kind: type) -> dict[str, str]:
    _named[kind.__name__] = kind
    return {"$ref": _REF.format(name=kind.__name__)}
