"""Whether values have the shape that files describe."""

from __future__ import annotations

from kernel.fields import Field


def fits(value: object, described: Field) -> bool:
    """Tell whether a value has the shape that its field describes."""
    if value is None:
        return True
    if described.many:
        single = Field(described.name, "", described.type, described.fields)
        return isinstance(value, list) and all(fits(own, single) for own in value)
    if described.fields:
        inner = {own.name: own for own in described.fields}
        return isinstance(value, dict) and value.keys() <= inner.keys() and all(fits(value[k], inner[k]) for k in value)
    types = {"string": str, "int64": int, "float64": int | float, "bool": bool}
    return isinstance(value, types[described.type])
