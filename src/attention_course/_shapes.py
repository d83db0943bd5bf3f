"""Shape annotations, also where jaxtyping is absent (Colab): the axes stay readable there."""

from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Float32, Float64, Int, Shaped
else:
    try:
        from jaxtyping import Bool, Float, Float32, Float64, Int, Shaped
    except ModuleNotFoundError:

        class _Plain:
            """``Float[ndarray, "n d"]`` is ``Annotated[ndarray, "Float", "n d"]``."""

            def __class_getitem__(cls, item: tuple[Any, str]) -> Any:
                return Annotated[item[0], cls.__name__, item[1]]

        Bool, Float, Float32, Float64, Int, Shaped = (
            type(name, (_Plain,), {})
            for name in ("Bool", "Float", "Float32", "Float64", "Int", "Shaped")
        )

__all__ = ["Bool", "Float", "Float32", "Float64", "Int", "Shaped", "array_type", "axes_of"]


def axes_of(annotation: Any) -> tuple[str, str] | None:
    """Return kind and axes that an annotation gives an array, such as ("Float", "n d")."""
    if hasattr(annotation, "dim_str"):
        return annotation.dtype.__name__, annotation.dim_str
    kind, *axes = getattr(annotation, "__metadata__", ("",))
    return (kind, axes[0].strip()) if axes else None


def array_type(annotation: Any) -> Any:
    """Return the type of array that an annotation is for, such as numpy's ``ndarray``."""
    return getattr(annotation, "array_type", getattr(annotation, "__origin__", None))
